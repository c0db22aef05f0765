//go:build !race

package server

import (
	"io"
	"net"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
)

// The race detector has a sync.Pool forget some of what it holds, so these are
// of runs without it.

// TestPublishingAllocatesForTheMessageAlone: nothing for each subscriber, nor
// for one more message that waits in its outbox.
func TestPublishingAllocatesForTheMessageAlone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	s := startServer(t)
	const channel, messages = "ch", 40
	payload := []byte("0123456789abcdef")
	frame := channels.NewMessage([]byte(channel), payload).Slices(0)[0]
	allocations := func(subscribers int) float64 {
		f := idleFlusher(1)
		r := channels.New()
		var clients []net.Conn
		for range subscribers {
			o, client := unservedOutbox(t, s, f)
			r.Subscribe(channel, o)
			clients = append(clients, client)
		}
		buf := make([]byte, messages*len(frame))
		return testing.AllocsPerRun(20, func() {
			for range messages {
				r.Publish([]byte(channel), payload)
			}
			w := f.workers[0]
			w.mu.Lock()
			w.writeQueued(f)
			w.mu.Unlock()
			for _, c := range clients {
				if _, err := io.ReadFull(c, buf); err != nil {
					panic(err)
				}
			}
		})
	}
	few, many := allocations(2), allocations(50)
	require.LessOrEqual(t, few, 6.0*messages)
	require.LessOrEqual(t, many, few+2)
}
