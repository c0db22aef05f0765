module slotcast/compat/clients/go-redis-9

go 1.26.0

require github.com/redis/go-redis/v9 v9.23.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	slotcast/compat/clients/go-common v0.0.0
	slotcast/examples/go-redis v0.0.0
	slotcast/examples/go-slotmap v0.0.0 // indirect
)

replace slotcast/compat/clients/go-common => ../go-common

replace slotcast/examples/go-redis => ../../../examples/go-redis

replace slotcast/examples/go-slotmap => ../../../examples/go-slotmap
