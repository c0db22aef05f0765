module slotcast

go 1.26

require (
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/stretchr/testify v1.12.1
	github.com/tidwall/redcon v1.6.4
	go.uber.org/goleak v1.3.0
)
