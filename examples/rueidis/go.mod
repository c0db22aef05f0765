module slotcast/examples/rueidis

go 1.26

require (
	github.com/redis/rueidis v1.0.79
	slotcast/examples/go-slotmap v0.0.0
)

require golang.org/x/sys v0.47.0 // indirect

replace slotcast/examples/go-slotmap => ../go-slotmap
