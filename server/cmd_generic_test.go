package server

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// twins are redis-server and slotcast with a connection each for commands, and
// one each that listens to all keyspace notifications.
type twins struct {
	t                      testing.TB
	theirs, ours           *client
	theirEvents, ourEvents *client
}

func startTwins(t testing.TB, protocol string) *twins {
	const classes = "KEAmn"
	redis := redistest.Start(t, "--notify-keyspace-events", classes)
	s := startServer(t, "--notify-keyspace-events", classes)
	w := &twins{t: t,
		theirs: dialAddr(t, "tcp", redis.Addr), theirEvents: dialAddr(t, "tcp", redis.Addr),
		ours: s.dial(t), ourEvents: s.dial(t),
	}
	for _, c := range []*client{w.theirs, w.ours} {
		c.do("HELLO", protocol)
	}
	for _, c := range []*client{w.theirEvents, w.ourEvents} {
		c.do("PSUBSCRIBE", "__key*__:*")
		c.do("SUBSCRIBE", "mark")
	}
	return w
}

// both sends a command to both, and returns the replies.
func (w *twins) both(args ...string) (theirs, ours string) {
	w.t.Helper()
	return w.theirs.do(args...), w.ours.do(args...)
}

// events returns what both have notified since the last call.
func (w *twins) events() (theirs, ours string) {
	w.t.Helper()
	read := func(commands, events *client) string {
		commands.do("PUBLISH", "mark", "x")
		var all strings.Builder
		for {
			m := events.reply()
			if m == "*3\r\n"+bulk("message")+bulk("mark")+bulk("x") {
				return all.String()
			}
			all.WriteString(m)
		}
	}
	return read(w.theirs, w.theirEvents), read(w.ours, w.ourEvents)
}

// requireSame compares two replies, but for the order of keys, and for the time
// that has passed between the two servers.
func requireSame(t testing.TB, args []string, theirs, ours, past string) {
	t.Helper()
	switch args[0] {
	case "KEYS", "SCAN":
		theirs, ours = sortedLines(theirs), sortedLines(ours)
	case "TTL", "PTTL", "OBJECT":
		a, err := strconv.ParseInt(strings.TrimSpace(theirs[1:]), 10, 64)
		b, err2 := strconv.ParseInt(strings.TrimSpace(ours[1:]), 10, 64)
		if err == nil && err2 == nil && (a > 0 && b > 0 || args[1] == "idletime") {
			require.InDelta(t, a, b, patience.Seconds()*1000, "the times after\n%s", past)
			return
		}
	}
	require.Equal(t, theirs, ours, "the replies after\n%s", past)
}

func sortedLines(reply string) string {
	lines := strings.SplitAfter(reply, "\r\n")
	sort.Strings(lines)
	return strings.Join(lines, "")
}

// genericCommand draws a command of the families under test: mostly sensible,
// with the borders of every argument.
func genericCommand(r *rand.Rand) []string {
	key := func() string { return fmt.Sprintf("{t}%d", r.IntN(6)) }
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	keyList := func(args ...string) []string {
		for range 1 + r.IntN(4) {
			args = append(args, key())
		}
		return args
	}
	switch r.IntN(16) {
	case 0:
		return []string{pick("APPEND", "INCRBY"), key(), "5"}
	case 1, 2:
		return []string{"SET", key(), pick("1", "text", "12345678901234567890", "-7", strings.Repeat("x", 60))}
	case 3:
		return keyList(pick("DEL", "UNLINK", "unlink"))
	case 4:
		return keyList(pick("EXISTS", "TOUCH"))
	case 5, 6, 7:
		name := pick("EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT")
		time := pick("100000", "5000000", "33177117420", "33177117420123", "9223372036854775807", "9223372036854775", "9223372036854776",
			"-9223372036854775808", "-9223372036854775", "-1", "0", "x", "1.5", "", " 1", "+1", "01")
		args := []string{name, key(), time}
		for range max(0, r.IntN(6)-3) {
			args = append(args, pick("NX", "XX", "GT", "LT", "gt", "xX", "NOPE", "", "a\nb\r\n", "a\x00b"))
		}
		return args
	case 8:
		return []string{pick("TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "TYPE"), key()}
	case 9:
		return []string{"PERSIST", key()}
	case 10:
		return []string{pick("RENAME", "RENAMENX"), key(), key()}
	case 11:
		args := []string{"COPY", key(), key()}
		for range max(0, r.IntN(5)-2) {
			args = append(args, pick("REPLACE", "replace", "DB", "0", "x", "2147483648", "-1", "16", "NOPE"))
		}
		return args
	case 12:
		return []string{"OBJECT", pick("ENCODING", "encoding", "idletime", "FREQ", "NOPE"), key()}
	case 13:
		return []string{"KEYS", pick("*", "{t}*", "?t}1", "{t}[0-3]", "{t}[^0]", "**", "\\{t}2", "nothing", "")}
	case 14:
		args := []string{"SCAN", "0"}
		for range r.IntN(4) {
			args = append(args, pick("COUNT", "match", "TYPE", "type"), pick("100", "1000", "0", "-1", "x", "*", "{t}[0-3]", "string", "STRING", "list"))
		}
		if r.IntN(8) == 0 {
			return append(args, pick("COUNT", "NOPE"))
		}
		return append(args, "COUNT", "1000")
	}
	if r.IntN(2) == 0 {
		return []string{pick("DBSIZE", "FLUSHALL", "FLUSHDB")}
	}
	return []string{pick("DBSIZE", "RANDOMKEY", "FLUSHALL", "FLUSHDB"), pick("SYNC", "async", "NOPE")}
}

// TestGenericCommandsAreAsInRedis compares replies, and notifications in their
// order, over random commands on few keys.
func TestGenericCommandsAreAsInRedis(t *testing.T) {
	for _, protocol := range []string{"2", "3"} {
		t.Run("RESP"+protocol, func(t *testing.T) {
			w := startTwins(t, protocol)
			r := rand.New(rand.NewPCG(1, uint64(len(protocol))))
			var history []string
			for range 3000 {
				args := genericCommand(r)
				history = append(history, fmt.Sprintf("%q", args))
				past := strings.Join(history[max(0, len(history)-12):], "\n")
				theirs, ours := w.both(args...)
				requireSame(t, args, theirs, ours, past)
				theirs, ours = w.events()
				require.Equal(t, theirs, ours, "the notifications after\n%s", past)
			}
		})
	}
}

// TestScanTakesTheCursorsOfRedis has texts that strtoul takes, or not, in ways
// of its own.
func TestScanTakesTheCursorsOfRedis(t *testing.T) {
	w := startTwins(t, "2")
	for _, cursor := range []string{
		"0", "", "00", "+0", "-0", "-1", "+", "-", "+-1", "--1", " 0", "\t0", "\v0", "0 ", "0x", "0x10", "1.5", "1e3", "x",
		"0\x00x", "\x00", "\x00x", " \x00", "18446744073709551615", "18446744073709551616", "18446744073709551617",
		"-18446744073709551615", "-18446744073709551616", "99999999999999999999999999", "000000000000000000000000000000005",
	} {
		theirs, ours := w.both("SCAN", cursor)
		if strings.HasPrefix(theirs, "*") {
			require.Equal(t, "*2\r\n", ours[:4], "cursor %q", cursor)
		} else {
			require.Equal(t, theirs, ours, "cursor %q", cursor)
		}
	}
}
