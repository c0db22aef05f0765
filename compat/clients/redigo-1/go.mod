module slotcast/compat/clients/redigo-1

go 1.26

require (
	github.com/gomodule/redigo v1.9.3
	github.com/mna/redisc v1.4.0
	slotcast/compat/clients/go-common v0.0.0
	slotcast/examples/redigo v0.0.0
)

require slotcast/examples/go-slotmap v0.0.0 // indirect

replace slotcast/compat/clients/go-common => ../go-common

replace slotcast/examples/redigo => ../../../examples/redigo

replace slotcast/examples/go-slotmap => ../../../examples/go-slotmap
