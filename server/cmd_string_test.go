package server

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawer draws one command of a family: mostly sensible, with the borders of
// every argument.
type drawer func(r *rand.Rand) []string

// draw is a source of arguments.
type draw struct{ *rand.Rand }

func (d draw) pick(words ...string) string { return words[d.IntN(len(words))] }

// key is one of few keys of one slot.
func (d draw) key() string { return fmt.Sprintf("{t}%d", d.IntN(5)) }

// number is a decimal integer of any size, sometimes one that is none.
func (d draw) number() string {
	switch d.IntN(10) {
	case 0:
		return d.pick("9223372036854775807", "-9223372036854775808", "9223372036854775808", "x", "", "1.5", "+1", "01", " 1", "-0", "0")
	case 1, 2:
		return strconv.FormatInt(int64(d.Uint64()>>d.IntN(64)), 10)
	case 3, 4:
		return strconv.Itoa(d.IntN(400) - 200)
	}
	return strconv.Itoa(d.IntN(40) - 20)
}

// text is a value, of few different bytes half of the time.
func (d draw) text() string {
	b := make([]byte, d.IntN(1+d.IntN(80)))
	few := d.IntN(2) == 0
	for i := range b {
		b[i] = byte(d.IntN(256))
		if few {
			b[i] = "\x00\xff\xffa"[d.IntN(4)]
		}
	}
	return string(b)
}

// compareRandom sends commands to redis-server and to slotcast, in batches,
// and compares the replies and the notifications byte for byte.
func compareRandom(t *testing.T, protocol string, seed uint64, batches int, next drawer) {
	t.Helper()
	const size = 40
	w := startTwins(t, protocol)
	r := rand.New(rand.NewPCG(seed, 1))
	var past []string
	for range batches {
		var batch [][]string
		var wire strings.Builder
		for range size {
			args := next(r)
			batch = append(batch, args)
			wire.WriteString(request(args...))
		}
		w.theirs.raw(wire.String())
		w.ours.raw(wire.String())
		for _, args := range batch {
			past = append(past, fmt.Sprintf("%q", args))
			theirs, ours := w.theirs.reply(), w.ours.reply()
			if theirs != ours { // spares the arguments of a happy comparison
				requireSame(t, args, theirs, ours, strings.Join(past[max(0, len(past)-60):], "\n"))
			}
		}
		theirs, ours := w.events()
		require.Equal(t, theirs, ours, "the notifications of\n%s", strings.Join(past[len(past)-size:], "\n"))
	}
	theirs, ours := w.both("INFO", "stats")
	require.Equal(t, lookups(theirs), lookups(ours))
	require.Len(t, lookups(ours), 2)
}

// lookups are the lines of INFO that count hits and misses.
func lookups(info string) (lines []string) {
	for line := range strings.Lines(info) {
		if strings.HasPrefix(line, "keyspace_hits:") || strings.HasPrefix(line, "keyspace_misses:") {
			lines = append(lines, line)
		}
	}
	return lines
}

func stringCommand(r *rand.Rand) []string {
	d := draw{r}
	// Nothing that is soon due: who deletes it first is chance.
	expiry := func() string {
		return d.pick("9223372036854775", "9223372036854776", "9223372036854775807", "0", "-1", "x", "33177117420", "33177117420123", "33177117420124")
	}
	switch d.IntN(22) {
	case 0, 1:
		args := []string{"SET", d.key(), d.pick(d.text(), d.number())}
		for range d.IntN(4) {
			args = append(args, d.pick("NX", "XX", "GET", "KEEPTTL", "nx", "get", "PERSIST", "NOPE", "EX", ""))
		}
		if d.IntN(2) == 0 {
			args = append(args, d.pick("EX", "px", "EXAT", "PXAT"), expiry())
		}
		return args
	case 2:
		return []string{"SET", d.key(), d.number()}
	case 3:
		return []string{d.pick("SETEX", "PSETEX"), d.key(), expiry(), d.text()}
	case 4:
		return []string{d.pick("SETNX", "GETSET"), d.key(), d.text()}
	case 5:
		return []string{d.pick("GETDEL", "DEL"), d.key()}
	case 6, 7:
		args := []string{"GETEX", d.key()}
		switch d.IntN(5) {
		case 0, 1:
			args = append(args, d.pick("EX", "PX", "EXAT", "pxat"), expiry())
		case 2:
			args = append(args, d.pick("EXAT", "PXAT"), "1")
		case 3:
			args = append(args, d.pick("PERSIST", "persist", "KEEPTTL", "NX", "EX"))
		}
		if d.IntN(6) == 0 {
			args = append(args, d.pick("PERSIST", "EX", "NOPE"))
		}
		return args
	case 8:
		args := []string{"MGET"}
		for range 1 + d.IntN(4) {
			args = append(args, d.key())
		}
		return args
	case 9, 10:
		args := []string{d.pick("MSET", "MSETNX")}
		for range 1 + d.IntN(4) {
			args = append(args, d.key(), d.text())
		}
		return args[:len(args)-d.IntN(2)*d.IntN(2)]
	case 11, 12:
		return []string{"APPEND", d.key(), d.pick(d.text(), d.number())}
	case 13:
		return []string{d.pick("STRLEN", "GET", "PTTL", "TTL"), d.key()}
	case 14, 15:
		return []string{d.pick("GETRANGE", "SUBSTR"), d.key(), d.number(), d.number()}
	case 16:
		offset := d.pick(strconv.Itoa(d.IntN(100)), "536870912", "536870911", "9223372036854775807", "-1", "x")
		data := d.text()
		if len(offset) > 6 { // nothing, or more than may be
			data = d.pick("", "12")
		}
		return []string{"SETRANGE", d.key(), offset, data}
	case 17:
		return []string{d.pick("INCR", "DECR"), d.key()}
	case 18:
		return []string{d.pick("INCRBY", "DECRBY"), d.key(), d.number()}
	case 19:
		return []string{"INCRBYFLOAT", d.key(), d.pick(d.number(), "1.5", "-0.1")}
	case 20:
		return []string{"OBJECT", "ENCODING", d.key()}
	}
	return []string{d.pick("SETNX", "GET", "STRLEN", "GETEX"), d.key()}
}

func TestStringCommandsAreAsInRedis(t *testing.T) {
	for _, protocol := range []string{"2", "3"} {
		t.Run("RESP"+protocol, func(t *testing.T) {
			compareRandom(t, protocol, 11, 100, stringCommand)
		})
	}
}

// floatText spells a number in one of the ways that strtold knows.
func floatText(d draw) string {
	digits := func(n int, of string) string {
		b := make([]byte, d.IntN(n+1))
		for i := range b {
			b[i] = of[d.IntN(len(of))]
		}
		return string(b)
	}
	sign := d.pick("", "", "", "-", "-", "+")
	switch d.IntN(14) {
	case 0:
		return sign + d.pick("inf", "INFINITY", "nan", "nan(1)", "infinit", "0x", "0x.p1", ".", "", "e5", "1e", "1e+", "1p5", "0x1p", "1 ", " 1", "1\x00", "1,5", "--1", "1e5000", "1e-5000", "1e99999999999999999999",
			"0e99999999999999999999", "1.18973149535723176505e+4932", "1.18973149535723176508e+4932", "3.6e-4951", "1.8e-4951", "1.9e-4951", "3.3621031431120935063e-4932", "1e-4940")
	case 1:
		return sign + "0" + d.pick("x", "X") + digits(20, "0123456789abcdefABCDEF") + d.pick("", ".") + digits(4, "0123456789abcdef") + d.pick("", "p"+strconv.Itoa(d.IntN(200)-100))
	case 2, 3:
		return sign + digits(25, "0123456789") + "." + digits(25, "0123456789") + d.pick("", "e"+strconv.Itoa(d.IntN(60)-30))
	case 4:
		return sign + digits(8, "0123456789") + d.pick("e", "E") + d.pick("", "+", "-") + digits(4, "0123456789")
	case 5:
		return sign + digits(60, "09") + "." + digits(60, "0123456789")
	case 6:
		return strconv.FormatUint(d.Uint64(), 10) // up to all 64 bits of the mantissa
	case 7:
		return sign + "0." + strings.Repeat("0", d.IntN(20)) + digits(20, "5")
	}
	return sign + strconv.Itoa(d.IntN(1000)) + "." + digits(17, "0123456789")
}

func TestFloatIncrementsAreAsInRedis(t *testing.T) {
	compareRandom(t, "2", 5, 150, func(r *rand.Rand) []string {
		d := draw{r}
		if d.IntN(4) == 0 {
			return []string{"SET", d.key(), floatText(d)}
		}
		return []string{"INCRBYFLOAT", d.key(), floatText(d)}
	})
}

func FuzzParseLongDouble(f *testing.F) {
	for _, s := range []string{"1.5", "-inf", "0x1.8p-16445", "1e4932", "1e-4951", "0e9999999999", ".5e-3", "0x.p"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, ok := parseLongDouble(text)
		if !ok || d.inf != 0 {
			return
		}
		// What is written can be read, and is written the same again.
		written := d.appendTo(nil)
		again, ok := parseLongDouble(written)
		require.True(t, ok, "%q", written)
		if d.f.MantExp(nil) < 0 || len(written) > 20 {
			return // more digits than are shown, or than a mantissa has
		}
		require.Equal(t, string(written), string(again.appendTo(nil)))
	})
}

// TestGetAndSetAllocateNothingButTheValue runs both through the whole dispatch.
func TestGetAndSetAllocateNothingButTheValue(t *testing.T) {
	s := startServer(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	theirs, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer theirs.Close()
	ours, err := l.Accept()
	require.NoError(t, err)
	c, err := s.newConn(ours) // which no loop runs
	require.NoError(t, err)
	defer c.socket.close()
	c.begin()
	allocations := func(args ...string) float64 {
		var raw [][]byte
		for _, a := range args {
			raw = append(raw, []byte(a))
		}
		return testing.AllocsPerRun(1000, func() {
			c.reply.buf = c.reply.buf[:0]
			s.dispatch(c, raw)
		})
	}
	text, long := strings.Repeat("x", 20), strings.Repeat("x", 1000)
	for _, value := range []string{text, "12345", long} {
		want := 1.0
		if value == long {
			want = 2 // its header stands apart
		}
		require.Equal(t, want, allocations("SET", "key", value), "SET of %d bytes", len(value))
		require.Zero(t, allocations("GET", "key"), "GET of %d bytes", len(value))
		require.Equal(t, bulk(value), string(c.reply.buf))
	}
	require.Zero(t, allocations("GET", "missing"))
	require.Zero(t, allocations("MGET", "key", "{key}missing", "key"))
}

// TestLargeReplyIsCopiedOnce reads a value that no socket buffer takes at once.
func TestLargeReplyIsCopiedOnce(t *testing.T) {
	const size = 32 << 20
	s := startServer(t)
	c := s.dial(t)
	c.do("SETRANGE", "key", strconv.Itoa(size-1), "x")
	c.do("CONFIG", "RESETSTAT")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.send("GET", "key")
	n, err := io.CopyN(io.Discard, c.r, int64(len(bulk(""))-1+len(strconv.Itoa(size))+size))
	require.NoError(t, err, "after %d bytes", n)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size+size/4))
}
