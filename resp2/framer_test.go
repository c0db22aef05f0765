package resp2

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// play runs a stream through Framer and Parse as a connection would, given to
// it in pieces that end at the offsets in cuts and at its end. It returns one
// line for each request, then the error or "more" for an unfinished request.
func play(t testing.TB, stream string, lim Limits, cuts ...int) (events []string) {
	t.Helper()
	var f Framer
	var buf []byte
	var args [][]byte
	sent := 0
	for _, cut := range append(cuts, len(stream)) {
		buf = append(buf, stream[sent:cut]...)
		sent = cut
		for {
			n, err := f.Next(buf, lim)
			if n < 0 || n > len(buf) {
				t.Fatalf("a request of %d in %d bytes", n, len(buf))
			}
			if err == nil && n > 0 {
				args, err = Parse(buf[:n], args)
			}
			if err != nil {
				require.IsType(t, ProtocolError(""), err)
				return append(events, err.Error())
			}
			if n == 0 {
				if f.Want() < 1 {
					t.Fatalf("wants %d bytes", f.Want())
				}
				break
			}
			if len(args) > 0 {
				events = append(events, fmt.Sprintf("%q", args))
			}
			buf = buf[n:]
		}
	}
	if len(buf) > 0 {
		events = append(events, "more")
	}
	return events
}

// everyByte cuts a stream before each of its bytes.
func everyByte(stream string) (cuts []int) {
	for i := range len(stream) {
		cuts = append(cuts, i)
	}
	return cuts
}

var unauthenticated = Limits{Bulk: 512 << 20, Args: 1 << 20, Inline: 64 << 10, Unauthenticated: true}

// cases are streams and what comes of them. The same streams go to redis-server
// in TestFramingAgreesWithRedis, which knows no more of the wanted side than
// PING, ECHO and the protocol error.
var cases = []struct {
	stream string
	want   []string
}{
	{"*1\r\n$4\r\nPING\r\n", []string{`["PING"]`}},
	{"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", []string{`["ECHO" ""]`}},
	{"*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\x00*\r\nPING\r\n", []string{`["ECHO" "\r\n\x00*"]`, `["PING"]`}},
	{"*0\r\nPING\r\n", []string{`["PING"]`}},
	{"*-1\r\nPING\r\n", []string{`["PING"]`}},
	{"*-10\r\nPING\r\n", []string{`["PING"]`}},
	{"*-9223372036854775808\r\nPING\r\n", []string{`["PING"]`}},
	{"*-9223372036854775809\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*-99999999999999999999\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*01\r\n$4\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*+1\r\n$4\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"* 1\r\n$4\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*1 \r\n$4\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*1x\r\n$4\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*-\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*-0\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*-01\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*00\r\nPING\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*1\n\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*2147483648\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*9223372036854775807\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*9223372036854775808\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*18446744073709551617\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*1048576\r\n", []string{"more"}},
	{"*1048576\r\nx\r\n", []string{"Protocol error: expected '$', got 'x'"}},
	{"*1\rX$4\rYPING\r\n", []string{`["PING"]`}},
	{"*1\r\n$4\r\nPINGxxPING\r\n", []string{`["PING"]`, `["PING"]`}},
	{"*1\r\n$4\r\nPING\r", []string{"more"}},
	{"*1\n$4\nPING\n", []string{"more"}},
	{"*1\r", []string{"more"}},
	{"*1\r\n$4\r", []string{"more"}},
	{"*1\r\nx", []string{"more"}},
	{"*1\r\nx\r", []string{"more"}},
	{"*1\r\nx\r\n", []string{"Protocol error: expected '$', got 'x'"}},
	{"*1\r\n\r\n", []string{"Protocol error: expected '$', got '\r'"}},
	{"*1\r\n\n\r\n", []string{"Protocol error: expected '$', got '\n'"}},
	{"*1\r\n\xff\r\n", []string{"Protocol error: expected '$', got '\xff'"}},
	{"*2\r\n$4\r\nECHO\r\n:1\r\n", []string{"Protocol error: expected '$', got ':'"}},
	{"*1\r\n$\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$-1\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$-0\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$04\r\nPING\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$+4\r\nPING\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$ 4\r\nPING\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$4 \r\nPING\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$536870912\r\n", []string{"more"}},
	{"*1\r\n$536870913\r\n", []string{"Protocol error: invalid bulk length"}},
	{"*1\r\n$9223372036854775808\r\n", []string{"Protocol error: invalid bulk length"}},
	{"PING\r\n*1\r\n$4\r\nPING\r\n*x\r\nPING\r\n", []string{`["PING"]`, `["PING"]`, "Protocol error: invalid multibulk length"}},
	// A NUL hides the end of its line.
	{"*1\x00\r\n$4\r\nPING\r\n", []string{"more"}},
	{"*1\r\n$4\x00\r\nPING\r\n", []string{"more"}},
	{"PI\x00NG\r\nPING\r\n", []string{"more"}},
	{"\x00\r\n", []string{"more"}},
	// Inline.
	{"\r\n\n\r\r\n \t\r\nPING\r\n", []string{`["PING"]`}},
	{"PING\n", []string{`["PING"]`}},
	{"PING\r", []string{"more"}},
	{"ECHO\t'a b'\r\n", []string{`["ECHO" "a b"]`}},
	{`ECHO "\x41\n"` + "\r\n", []string{`["ECHO" "A\n"]`}},
	{"ECHO \"a\r\nPING\r\n", []string{"Protocol error: unbalanced quotes in request"}},
	{"ECHO 'a'b\r\n", []string{"Protocol error: unbalanced quotes in request"}},
	// Sizes of lines.
	{"*" + strings.Repeat("1", 65535), []string{"more"}},
	{"*" + strings.Repeat("1", 65536), []string{"Protocol error: too big mbulk count string"}},
	{"*" + strings.Repeat("1", 65535) + "\r", []string{"more"}},
	{"*" + strings.Repeat("1", 65535) + "\r\n", []string{"Protocol error: invalid multibulk length"}},
	{"*1\r\n$" + strings.Repeat("1", 65535), []string{"more"}},
	{"*1\r\n$" + strings.Repeat("1", 65536), []string{"Protocol error: too big bulk count string"}},
	{"*1\r\n" + strings.Repeat("x", 65537), []string{"Protocol error: too big bulk count string"}},
	{"*1\x00\r\n" + strings.Repeat("x", 65537), []string{"Protocol error: too big mbulk count string"}},
	{strings.Repeat("a", 65536), []string{"more"}},
	{strings.Repeat("a", 65537), []string{"Protocol error: too big inline request"}},
	{"\x00\n" + strings.Repeat("a", 65537), []string{"Protocol error: too big inline request"}},
	{strings.Repeat(" ", 65532) + "PING\n", []string{`["PING"]`}},
}

func TestFraming(t *testing.T) {
	for _, c := range cases {
		require.Equal(t, c.want, play(t, c.stream, DefaultLimits), "%.80q", c.stream)
		require.Equal(t, c.want, play(t, c.stream, DefaultLimits, everyByte(c.stream)...), "%.80q byte by byte", c.stream)
	}
}

// answer is what Redis says to the requests of events.
func answer(events []string) string {
	var b []byte
	for _, event := range events {
		switch {
		case event == "more":
		case event == `["PING"]`:
			b = AppendStatus(b, "PONG")
		case strings.HasPrefix(event, `["ECHO"`):
			var verb, text string
			_, _ = fmt.Sscanf(strings.Trim(event, "[]"), "%q %q", &verb, &text)
			b = AppendBulkString(b, text)
		default:
			b = AppendError(b, "ERR "+event)
		}
	}
	return string(b)
}

func TestFramingAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t)
	for _, c := range cases {
		require.Equal(t, fmt.Sprintf("%q", redis.Exchange(t, c.stream)), fmt.Sprintf("%q", answer(c.want)), "%.80q", c.stream)
	}
}

func TestUnauthenticatedAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t, "--requirepass", "secret")
	for stream, want := range map[string]string{
		"*10\r\n":                  "more",
		"*11\r\n":                  "Protocol error: unauthenticated multibulk length",
		"*2147483648\r\n":          "Protocol error: invalid multibulk length",
		"*10\r\n$16384\r\n":        "more",
		"*10\r\n$16385\r\n":        "Protocol error: unauthenticated bulk length",
		"*10\r\n$536870913\r\n":    "Protocol error: invalid bulk length",
		"*1\r\n$-1\r\n":            "Protocol error: invalid bulk length",
		strings.Repeat("a", 65537): "Protocol error: too big inline request",
	} {
		events := []string{want}
		require.Equal(t, events, play(t, stream, unauthenticated), "%.80q", stream)
		require.Equal(t, answer(events), redis.Exchange(t, stream), "%.80q", stream)
	}
	// A long inline request is none of the two.
	require.Equal(t, []string{fmt.Sprintf("%q", strings.Split(strings.Repeat("a ", 5000)+"a", " "))},
		play(t, strings.Repeat("a ", 5000)+"a\r\n", unauthenticated))
}

// The one count on which slotcast and Redis differ.
func TestArgumentLimit(t *testing.T) {
	require.Equal(t, []string{"Protocol error: invalid multibulk length"}, play(t, "*1048577\r\n", DefaultLimits))
	require.Equal(t, []string{"more"}, play(t, "*2\r\n$3\r\n", Limits{Bulk: 3, Args: 2, Inline: 8}))
	require.Equal(t, []string{"Protocol error: invalid multibulk length"}, play(t, "*3\r\n$3\r\n", Limits{Bulk: 3, Args: 2, Inline: 8}))
	require.Equal(t, []string{"Protocol error: invalid bulk length"}, play(t, "*2\r\n$4\r\n", Limits{Bulk: 3, Args: 2, Inline: 8}))
	require.Equal(t, []string{"Protocol error: too big inline request"}, play(t, "123456789", Limits{Bulk: 3, Args: 2, Inline: 8}))
}

// Limits apply from the next length that is read, as after an AUTH.
func TestLimitsChangeBetweenRequests(t *testing.T) {
	var f Framer
	first, second := command("AUTH", "secret"), command("SET", "k", strings.Repeat("v", 20000))
	n, err := f.Next([]byte(first+second), unauthenticated)
	require.NoError(t, err)
	require.Equal(t, len(first), n)
	n, err = f.Next([]byte(second), DefaultLimits)
	require.NoError(t, err)
	require.Equal(t, len(second), n)
	_, err = f.Next([]byte(second), unauthenticated)
	require.Equal(t, errBulkUnauthenticated, err)
}

func TestHostileBulkLengthOverflow(t *testing.T) {
	const stream = "*1\r\n$9223372036854775807\r\n"
	require.Equal(t, []string{"Protocol error: invalid bulk length"}, play(t, stream, DefaultLimits))
	// Even where the limit admits the length, nothing overflows.
	boundless := Limits{Bulk: math.MaxInt64, Args: math.MaxInt, Inline: math.MaxInt}
	require.Equal(t, []string{"more"}, play(t, stream+"abc", boundless))
	var f Framer
	_, err := f.Next([]byte(stream+"abc"), boundless)
	require.NoError(t, err)
	require.Positive(t, f.Want())
	require.Equal(t, []string{"more"}, play(t, "*9223372036854775807\r\n$1\r\na\r\n", boundless))
}

// A count that is merely announced costs nothing, however often bytes arrive.
func TestHostileArgumentCount(t *testing.T) {
	require.Equal(t, []string{"Protocol error: invalid multibulk length"}, play(t, "*1000000000\r\n$1\r\na\r\n", DefaultLimits))
	boundless := Limits{Bulk: math.MaxInt64, Args: math.MaxInt, Inline: math.MaxInt}
	for _, count := range []string{"1000000000", "9223372036854775807"} {
		stream := "*" + count + "\r\n$1\r\na\r\n"
		buf := []byte(stream)
		var f Framer
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			n, err := f.Next(buf, boundless)
			if n != 0 || err != nil {
				t.Fatal(n, err)
			}
		}))
		require.Equal(t, len(stream), f.pos, "vetted once")
	}
}

// One request that arrives byte by byte costs time in its length, and no stack.
func TestHostileDripIsLinear(t *testing.T) {
	const size = 10 << 20
	for name, stream := range map[string]string{
		"one argument":   command("ECHO", strings.Repeat("x", size)),
		"many arguments": command(strings.Split(strings.Repeat("x ", size/16), " ")...),
	} {
		t.Run(name, func(t *testing.T) {
			buf := []byte(stream)
			var f Framer
			for i := 1; i < len(buf); i++ {
				n, err := f.Next(buf[:i], DefaultLimits)
				if n != 0 || err != nil {
					t.Fatalf("after %d of %d bytes: %d, %v", i, len(buf), n, err)
				}
				if want := f.Want(); want < 1 || want > len(buf)-i {
					t.Fatalf("after %d of %d bytes: wants %d", i, len(buf), want)
				}
			}
			n, err := f.Next(buf, DefaultLimits)
			require.NoError(t, err)
			require.Equal(t, len(buf), n)
		})
	}
}

// What was vetted is not looked at again: line ends put there later are not seen.
func TestPartialLineIsNotRescanned(t *testing.T) {
	for _, part := range []string{"PING some", "*100", "*1\r\n$100"} {
		var f Framer
		buf := []byte(part)
		n, err := f.Next(buf, DefaultLimits)
		require.NoError(t, err)
		require.Zero(t, n)
		copy(buf[len(buf)-3:], "\r\n")
		n, err = f.Next(buf, DefaultLimits)
		require.NoError(t, err, "%q", part)
		require.Zero(t, n, "%q", part)
		require.Equal(t, len(buf), f.scan, "%q", part)
	}
}

func TestWant(t *testing.T) {
	for part, want := range map[string]int{
		"":                       1,
		"PI":                     1,
		"*1":                     1,
		"*2\r\n":                 12,
		"*2\r\n$":                11,
		"*2\r\n$10":              9,
		"*2\r\n$10\r\n":          18,
		"*2\r\n$10\r\n012345678": 9,
		"*1\r\n$3\r\nab":         3,
		"*1\r\n$3\r\nabc\r":      1,
	} {
		var f Framer
		n, err := f.Next([]byte(part), DefaultLimits)
		require.NoError(t, err)
		require.Zero(t, n)
		require.Equal(t, want, f.Want(), "%q", part)
	}
}
