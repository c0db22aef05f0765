module slotcast/compat/clients/rueidis-1

go 1.26

require github.com/redis/rueidis v1.0.79

require (
	golang.org/x/sys v0.47.0 // indirect
	slotcast/compat/clients/go-common v0.0.0
	slotcast/examples/go-slotmap v0.0.0 // indirect
	slotcast/examples/rueidis v0.0.0
)

replace slotcast/compat/clients/go-common => ../go-common

replace slotcast/examples/rueidis => ../../../examples/rueidis

replace slotcast/examples/go-slotmap => ../../../examples/go-slotmap
