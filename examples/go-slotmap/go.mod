module slotcast/examples/go-slotmap

go 1.26
