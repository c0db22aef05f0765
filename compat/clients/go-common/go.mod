module slotcast/compat/clients/go-common

go 1.26
