module slotcast/compat/clients/radix-4

go 1.26

require (
	github.com/mediocregopher/radix/v4 v4.1.4
	slotcast/compat/clients/go-common v0.0.0
)

require github.com/tilinna/clock v1.0.2 // indirect

replace slotcast/compat/clients/go-common => ../go-common
