package server

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/dump"
	"slotcast/redistest"
)

// restoreCommand draws a RESTORE: mostly sensible, with the borders of every
// argument, on the keys of genericCommand.
func restoreCommand(r *rand.Rand) []string {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	payload := string(dump.AppendString(nil, []byte(pick("", "text", "7", "-70000", strings.Repeat("xy", 40)))))
	switch r.IntN(8) {
	case 0:
		payload = pick("", "bad", payload[:len(payload)-1], payload+" ")
	case 1:
		payload = string(dump.Seal([]byte(pick("\x00\x20hell", "\x00\xc3\x09\x40\x64\x01aa\xe0\x57\x00\x01aa", "\x16\x00", "", "\x00\xc3\x02\x01\x00a", "\x00\xbf\x00\x00\x00\x01a"))))
	}
	args := []string{pick("RESTORE", "restore", "RESTORE-ASKING"), fmt.Sprintf("{t}%d", r.IntN(6)),
		pick("0", "0", "0", "100000", "100000", "33177117420123", "-1", "x", "", "9223372036854775807"), payload}
	for range max(0, r.IntN(7)-3) {
		args = append(args, pick("REPLACE", "replace", "REPLACE", "ABSTTL", "absttl"))
	}
	if r.IntN(4) == 0 {
		args = append(args, pick("IDLETIME", "FREQ", "freq", "NOPE"))
		if r.IntN(6) != 0 {
			args = append(args, pick("0", "5", "255", "256", "-1", "x", "1000000"))
		}
		if r.IntN(4) == 0 {
			args = append(args, pick("IDLETIME", "FREQ"), "1")
		}
	}
	return args
}

// TestRestoreIsAsInRedis compares replies, notifications and what DUMP makes of
// the keys, over random commands.
func TestRestoreIsAsInRedis(t *testing.T) {
	for _, protocol := range []string{"2", "3"} {
		t.Run("RESP"+protocol, func(t *testing.T) {
			w := startTwins(t, protocol)
			require.Equal(t, "+OK\r\n", w.theirs.do("CONFIG", "SET", "rdbcompression", "no"))
			r := rand.New(rand.NewPCG(2, uint64(len(protocol))))
			var history []string
			restored := 0
			for range 3000 {
				args := restoreCommand(r)
				switch key := args[1]; r.IntN(8) {
				case 0:
					args = []string{"DEL", key}
				case 1:
					args = []string{"APPEND", key, "5"}
				case 2, 3:
					args = []string{"DUMP", key}
				case 4:
					args = []string{"OBJECT", "encoding", key}
				case 5:
					args = []string{"PTTL", key}
				}
				history = append(history, fmt.Sprintf("%q", args))
				past := strings.Join(history[max(0, len(history)-12):], "\n")
				theirs, ours := w.both(args...)
				requireSame(t, args, theirs, ours, past)
				theirs, ours = w.events()
				require.Equal(t, theirs, ours, "the notifications after\n%s", past)
				restored += strings.Count(ours, "restore")
			}
			require.Greater(t, restored, 100)
		})
	}
}

// bulkBody is the text of a bulk string.
func bulkBody(t testing.TB, reply string) string {
	t.Helper()
	require.Equal(t, "$", reply[:1], "%q", reply)
	_, body, _ := strings.Cut(reply, "\r\n")
	return strings.TrimSuffix(body, "\r\n")
}

// TestPayloadsCrossBetweenServers hands values of many lengths, more and less
// compressible, from each server to the other.
func TestPayloadsCrossBetweenServers(t *testing.T) {
	redis := dialAddr(t, "tcp", redistest.Start(t).Addr)
	ours := startServer(t).dial(t)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 400 {
		n := []int{r.IntN(12), r.IntN(100), r.IntN(20_000), r.IntN(300_000)}[i%4]
		letters, b := 1+r.IntN(255), make([]byte, n)
		for j := range b {
			if j > 0 && r.IntN(3) != 0 {
				b[j] = b[r.IntN(j)]
			} else {
				b[j] = byte('0' + r.IntN(letters))
			}
		}
		value := string(b)
		for _, way := range [][2]*client{{redis, ours}, {ours, redis}} {
			from, to := way[0], way[1]
			from.want("+OK\r\n", "SET", "k", value)
			to.want("+OK\r\n", "RESTORE", "k", "0", bulkBody(t, from.do("DUMP", "k")), "REPLACE")
			require.Equal(t, bulk(value), to.do("GET", "k"))
			require.Equal(t, from.do("OBJECT", "ENCODING", "k"), to.do("OBJECT", "ENCODING", "k"), "%q", value[:min(len(value), 50)])
		}
	}
}

// TestOtherTypesAreRefusedByName restores samples of every type.
func TestOtherTypesAreRefusedByName(t *testing.T) {
	c := startServer(t).dial(t)
	text, err := os.ReadFile("../dump/testdata/samples.txt")
	require.NoError(t, err)
	refused := map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		payload, err := hex.DecodeString(words[len(words)-1])
		require.NoError(t, err)
		reply := c.do("RESTORE", words[1], "0", string(payload), "REPLACE")
		if kind, is := strings.CutPrefix(reply, "-ERR Bad data format: a "); is {
			refused[strings.TrimSuffix(kind, ", and this node holds strings alone\r\n")]++
		} else {
			require.Equal(t, "+OK\r\n", reply, line)
		}
	}
	require.Equal(t, map[string]int{"list": 4, "set": 6, "hash": 4, "zset": 4, "stream": 2}, refused)
	c.want(bulk("12345"), "GET", "n{t}")
	c.want(":3\r\n", "DBSIZE")
}
