module slotcast/examples/redigo

go 1.26

require (
	github.com/gomodule/redigo v1.9.3
	github.com/mna/redisc v1.4.0
	slotcast/examples/go-slotmap v0.0.0
)

replace slotcast/examples/go-slotmap => ../go-slotmap
