module slotcast/compat/clients/valkey-go-1

go 1.26

require (
	github.com/valkey-io/valkey-go v1.0.79
	slotcast/compat/clients/go-common v0.0.0
)

require golang.org/x/sys v0.47.0 // indirect

replace slotcast/compat/clients/go-common => ../go-common
