module slotcast/compat/clients/glide-go-2

go 1.26

require (
	github.com/valkey-io/valkey-glide/go/v2 v2.5.3
	slotcast/compat/clients/go-common v0.0.0
)

require (
	github.com/google/uuid v1.6.0 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)

replace slotcast/compat/clients/go-common => ../go-common
