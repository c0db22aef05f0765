package server

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/keyspace"
)

// fill puts n keys into one slot.
func (ts *testServer) fill(n int) {
	slot := ts.keys.Slot(clusterstate.KeySlot([]byte("{t}")))
	slot.Lock()
	defer slot.Unlock()
	value := keyspace.NewString([]byte("v"))
	now := time.Now().UnixMilli()
	for i := range n {
		slot.Set(strconv.AppendInt([]byte("{t}"), int64(i), 10), value, 0, now, keyspace.Cause{})
	}
}

// TestWalksOverOneSlotLetOthersIn has a million keys in one slot. Whenever KEYS
// or SCAN gives way, another connection reads and writes in that slot, and must
// be answered before the walk goes on: a lock that were still held would be
// held for ever. Between two such moments only a few keys may be visited.
//
// With -short there are fewer keys: the race detector takes its time over each.
func TestWalksOverOneSlotLetOthersIn(t *testing.T) {
	const most = walkStep + 64
	keys := 1_000_000
	if testing.Short() {
		keys = 50_000
	}
	ts := startServer(t)
	other := ts.dial(t)
	var (
		mu                     sync.Mutex // guards all below; the walker's goroutine calls giveWay
		sc                     *conn
		steps, before, longest int
	)
	ts.giveWay = func() {
		mu.Lock()
		defer mu.Unlock()
		// Each key of the list takes more than ten bytes of the reply.
		listed := len(sc.reply.buf)
		longest = max(longest, listed-before)
		before = listed
		if steps++; steps%64 == 0 {
			other.want(bulk("v"), "GET", "{t}7")
			other.want("+OK\r\n", "SET", "{t}7", "v")
		}
	}
	ts.addr = ts.listen(t, "tcp", "127.0.0.1:0") // whose connections see giveWay as set here
	walker := ts.dial(t)
	walker.want("+PONG\r\n", "PING") // the connection is there
	walkerConn := ts.connOf(t, walker)
	ts.fill(keys)
	// walk returns a reply, the steps that it took and the most bytes that one
	// of them listed.
	walk := func(args ...string) (string, int, int) {
		mu.Lock()
		sc, steps, before, longest = walkerConn, 0, 0, 0
		mu.Unlock()
		reply := walker.do(args...)
		mu.Lock()
		defer mu.Unlock()
		return reply, steps, longest
	}

	for _, args := range [][]string{{"KEYS", "*"}, {"SCAN", "0", "COUNT", "2000000"}} {
		reply, steps, longest := walk(args...)
		require.Equal(t, keys, keyCount(t, reply))
		require.Greater(t, steps, keys/most)
		require.Less(t, longest, most*len(bulk("{t}1000000")))
	}

	// What matches nothing is looked at in steps as well.
	reply, steps, _ := walk("KEYS", "nothing")
	require.Equal(t, "*0\r\n", reply)
	require.Greater(t, steps, keys/most)

	// COUNT bounds the work of a call inside the slot.
	for cursor, n := "0", 0; n < 50; n++ {
		reply, steps, _ := walk("SCAN", cursor, "COUNT", "100")
		require.Zero(t, steps)
		require.InDelta(t, 100, keyCount(t, reply), 20)
		cursor = strings.Split(reply, "\r\n")[2]
		at, err := strconv.ParseUint(cursor, 10, 64)
		require.NoError(t, err)
		require.Less(t, at, uint64(1)<<53)
	}
}

// keyCount is the number of keys in the reply of KEYS or SCAN.
func keyCount(t testing.TB, reply string) int {
	t.Helper()
	if _, keys, ok := strings.Cut(reply, "\r\n*"); ok && strings.HasPrefix(reply, "*2\r\n$") {
		reply = "*" + keys
	}
	head, _, _ := strings.Cut(reply, "\r\n")
	n, err := strconv.Atoi(strings.TrimPrefix(head, "*"))
	require.NoError(t, err, "%.100q", reply)
	return n
}

// TestScanKeepsItsGuarantee walks in small steps while keys come and go. Those
// that are there all the time are returned, each once.
func TestScanKeepsItsGuarantee(t *testing.T) {
	ts := startServer(t)
	c := ts.dial(t)
	const stay = 2000
	for i := range stay {
		c.want("+OK\r\n", "SET", fmt.Sprintf("stay%d", i%(stay/2))+"{"+[]string{"t", strconv.Itoa(i)}[i%2]+"}", "v")
	}
	want := keyCount(t, c.do("KEYS", "stay*"))
	seen := map[string]int{}
	cursor := "0"
	for n := 0; ; n++ {
		for i := range 20 {
			c.do("SET", fmt.Sprintf("go%d{t}", n*20+i), "v")
			c.do("DEL", fmt.Sprintf("go%d{t}", n*20+i-300))
		}
		reply := parseReply(t, c.do("SCAN", cursor, "MATCH", "stay*", "COUNT", "17"))
		for _, key := range reply.items[1].items {
			seen[key.text]++
		}
		if cursor = reply.items[0].text; cursor == "0" {
			break
		}
	}
	require.Len(t, seen, want)
	for key, times := range seen {
		require.Equal(t, 1, times, key)
	}
}

// TestWalksInExec finds every slot locked, also those of watched keys.
func TestWalksInExec(t *testing.T) {
	ts := startServer(t)
	ts.giveWay = func() { t.Error("gave way with locks held") }
	c := ts.dial(t)
	ts.fill(1000)
	c.want("+OK\r\n", "WATCH", "a")
	c.want("+OK\r\n", "MULTI")
	for _, args := range [][]string{{"DEL", "{t}0"}, {"KEYS", "{t}99?"}, {"SCAN", "0", "COUNT", "5000", "MATCH", "{t}98?"}, {"DBSIZE"},
		{"RANDOMKEY"}, {"CLUSTER", "GETKEYSINSLOT", "0", "5"}, {"FLUSHALL"}, {"DBSIZE"}, {"RANDOMKEY"}} {
		c.want("+QUEUED\r\n", args...)
	}
	r := parseReply(t, c.do("EXEC"))
	require.Len(t, r.items, 9)
	require.Len(t, r.items[1].items, 10)
	require.Len(t, r.items[2].items[1].items, 10)
	require.Equal(t, "999", r.items[3].text)
	require.True(t, strings.HasPrefix(r.items[4].text, "{t}"))
	require.Equal(t, "0", r.items[7].text)
	require.Equal(t, byte('0'), r.items[8].kind)
}

func FuzzParseCursor(f *testing.F) {
	for _, text := range []string{"", "0", "-1", "+7", "18446744073709551615", "1\x00x", " 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ok := parseCursor(b)
		// What a cursor's own text says is what it is.
		if want, err := strconv.ParseUint(string(b), 10, 64); err == nil {
			require.True(t, ok)
			require.Equal(t, want, n)
		}
	})
}
