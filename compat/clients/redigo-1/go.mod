module slotcast/compat/clients/redigo-1

go 1.26

require (
	github.com/gomodule/redigo v1.9.3
	github.com/mna/redisc v1.4.0
	slotcast/compat/clients/go-common v0.0.0
)

replace slotcast/compat/clients/go-common => ../go-common
