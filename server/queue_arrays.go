package server

import (
	"slices"
	"sync"
	"unsafe"
)

// The arrays of the outboxes' queues are shared by all: an idle subscriber has
// none, and under load none is made for a queue that is a little longer than
// the one before.

// arraySizes are the capacities of the arrays that are kept, each in its pool.
var (
	arraySizes = [...]int{16, 64, 256, 1024}
	arrays     [len(arraySizes)]sync.Pool // of *[]byte, the first element
)

// withRoom returns a queue, which may be nil, with room for n more slices.
func withRoom(q [][]byte, n int) [][]byte {
	if cap(q)-len(q) >= n {
		return q
	}
	for i, size := range arraySizes {
		if len(q)+n > size {
			continue
		}
		var longer [][]byte
		if first, _ := arrays[i].Get().(*[]byte); first != nil {
			longer = unsafe.Slice(first, size)[:0]
		} else {
			longer = make([][]byte, 0, size)
		}
		longer = append(longer, q...)
		recycle(q)
		return longer
	}
	return slices.Grow(q, n)
}

// recycle takes the array of a queue that is used no more.
func recycle(q [][]byte) {
	if i := slices.Index(arraySizes[:], cap(q)); i >= 0 {
		q = q[:cap(q)]
		clear(q)
		arrays[i].Put(unsafe.SliceData(q))
	}
}
