module slotcast/compat/clients/redis-cli-7

go 1.26

require slotcast/compat/clients/go-common v0.0.0

replace slotcast/compat/clients/go-common => ../go-common
