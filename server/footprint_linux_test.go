package server

import (
	"net"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// sizeClass is the one of the Go allocator that a connection fits into: it is
// most of what an idle subscriber costs, and the next one is an eighth more. It
// is also the last one without a header before each object.
const sizeClass = 512

// TestConnFitsItsSizeClass tells who adds a field to where it is to be: what is
// needed only while commands run belongs into work, what few connections need
// behind a pointer.
func TestConnFitsItsSizeClass(t *testing.T) {
	require.LessOrEqual(t, int(unsafe.Sizeof(conn{})), sizeClass)
}

// TestAnIdleSubscriberIsSmall counts what each of some more keeps on the heap:
// the connection, its place in its channel, the list with it, and the array of
// its queue. What comes once, such as the buffer of a worker that starts late, or
// a list of all connections that is doubled, is no subscriber's: so it is the
// median of several steps.
func TestAnIdleSubscriberIsSmall(t *testing.T) {
	const (
		steps       = 5
		some        = 150 // subscribers in each
		mostObjects = 4
		mostBytes   = sizeClass + 208 // less than the next size class would take
	)
	// Each loop has a list of connections, and there is one loop for each processor.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	s := startServer(t)
	clients := make([]socket, 0, (steps+1)*some)
	defer func() {
		for i := range clients {
			clients[i].close()
		}
	}()
	subscribe := func() {
		for range some {
			nc, err := net.Dial("tcp", s.addr)
			require.NoError(t, err)
			require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
			c := newClient(t, nc)
			c.want("*3\r\n$9\r\nsubscribe\r\n$2\r\nch\r\n:1\r\n", "SUBSCRIBE", "ch")
			// What package net keeps of a client would be counted too.
			clients = clients[:len(clients)+1]
			require.NoError(t, clients[len(clients)-1].open(nc))
		}
	}
	subscribe() // what there is one of for all is there, from now on
	var objects, bytes []float64
	before := kept()
	for range steps {
		subscribe()
		after := kept()
		objects = append(objects, (float64(after.HeapObjects)-float64(before.HeapObjects))/some)
		bytes = append(bytes, (float64(after.HeapAlloc)-float64(before.HeapAlloc))/some)
		before = after
	}
	t.Logf("%.2f objects and %.0f bytes for each", objects, bytes)
	slices.Sort(objects)
	slices.Sort(bytes)
	require.Less(t, objects[steps/2], mostObjects+0.5)
	require.Less(t, bytes[steps/2], float64(mostBytes))
}

// kept is what the heap holds that is no garbage. What pools hold goes with the
// second collection.
func kept() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
