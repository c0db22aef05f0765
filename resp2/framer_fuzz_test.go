package resp2

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/splitargs"
)

// oracle is the twin of Framer and Parse: it has the whole stream before it,
// cuts strings and knows no state. Its events are those of play.
func oracle(s string, lim Limits) (events []string) {
	maxArgs, maxBulk := int64(math.MaxInt64), int64(math.MaxInt64)
	if lim.Unauthenticated {
		maxArgs, maxBulk = unauthenticatedArgs, unauthenticatedBulk
	}
	fail := func(text string) []string { return append(events, "Protocol error: "+text) }
	for s != "" {
		if s[0] != '*' {
			line, rest, state := cutLine(s, "\n", 0, lim)
			if state == "more" {
				return append(events, state)
			} else if state != "" {
				return fail("too big inline request")
			}
			words, ok := splitargs.Split([]byte(line))
			if !ok {
				return fail("unbalanced quotes in request")
			} else if len(words) > 0 {
				events = append(events, fmt.Sprintf("%q", words))
			}
			s = rest
			continue
		}
		line, rest, state := cutLine(s, "\r", 1, lim)
		count, ok := canonical(strings.TrimPrefix(line, "*"))
		switch {
		case state == "more":
			return append(events, state)
		case state != "":
			return fail("too big mbulk count string")
		case !ok || count > int64(lim.Args):
			return fail("invalid multibulk length")
		case count > maxArgs:
			return fail("unauthenticated multibulk length")
		}
		args := []string{}
		for range count {
			line, tail, state := cutLine(rest, "\r", 1, lim)
			size, ok := canonical(strings.TrimPrefix(line, "$"))
			switch {
			case state == "more":
				return append(events, state)
			case state != "":
				return fail("too big bulk count string")
			case line == "" || line[0] != '$':
				return fail("expected '$', got '" + rest[:1] + "'")
			case !ok || size < 0 || size > lim.Bulk:
				return fail("invalid bulk length")
			case size > maxBulk:
				return fail("unauthenticated bulk length")
			case int64(len(tail)) < size || int64(len(tail))-size < 2:
				return append(events, "more")
			}
			args, rest = append(args, tail[:size]), tail[size+2:]
		}
		if len(args) > 0 {
			events = append(events, fmt.Sprintf("%q", args))
		}
		s = rest
	}
	return events
}

// cutLine cuts s at end and skips as many bytes more; state tells why it could
// not, if so.
func cutLine(s, end string, skip int, lim Limits) (line, rest, state string) {
	i := strings.IndexAny(s[:min(len(s), lim.Inline+1)], end+"\x00")
	switch {
	case i >= 0 && s[i] != 0 && i+skip < len(s):
		return s[:i], s[i+1+skip:], ""
	case i >= 0 && s[i] != 0, len(s) <= lim.Inline:
		return "", "", "more"
	}
	return "", "", "too big"
}

// canonical accepts the one spelling of a number that prints as itself.
func canonical(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

func TestOracleAgreesWithTheCases(t *testing.T) {
	for _, c := range cases {
		require.Equal(t, c.want, oracle(c.stream, DefaultLimits), "%.80q", c.stream)
	}
}

func FuzzFraming(f *testing.F) {
	for i, c := range cases {
		if len(c.stream) < 1000 {
			f.Add(c.stream, byte(i), uint64(i))
		}
	}
	f.Add(command("SET", "key", strings.Repeat("v", 90)), byte(1), uint64(1))
	f.Add(command("SET", "key", strings.Repeat("v", 200)), byte(1), uint64(1))
	f.Add(command(strings.Split("a b c d e f g h i j k", " ")...), byte(2), uint64(2))
	f.Add(command("a")+command("b", "")+"c d\n"+command("e")[:9], byte(0), uint64(3))
	f.Add(strings.Repeat("x", 50), byte(1), uint64(4))
	f.Add("*1\r\n$16385\r\n", byte(2), uint64(4))
	f.Fuzz(func(t *testing.T, stream string, choice byte, seed uint64) {
		lim := DefaultLimits
		if choice&1 != 0 {
			lim = Limits{Bulk: 100, Args: 20, Inline: 40}
		}
		lim.Unauthenticated = choice&2 != 0
		want := oracle(stream, lim)
		require.Equal(t, want, play(t, stream, lim), "whole")
		random := rand.New(rand.NewPCG(seed, 0))
		var cuts []int
		for range random.IntN(10) {
			cuts = append(cuts, random.IntN(len(stream)+1))
		}
		slices.Sort(cuts)
		require.Equal(t, want, play(t, stream, lim, cuts...), "cut at %d", cuts)
		require.Equal(t, want, play(t, stream, lim, everyByte(stream)...), "byte by byte")
	})
}

// TestReadingAllocatesLittle takes the streams that give the most arguments for
// a byte, and those that announce the most: growing the slice of arguments
// (24 bytes each) is all that may cost more than the bytes themselves.
func TestReadingAllocatesLittle(t *testing.T) {
	const perByte = 48
	for name, stream := range map[string]string{
		"empty arguments":    command(make([]string, 100_000)...),
		"inline words":       strings.Repeat("a ", 32_000) + "\n",
		"inline quotes":      strings.Repeat(`"" `, 21_000) + "\n",
		"announced argument": "*1\r\n$536870912\r\n",
		"announced count":    "*1048576\r\n$536870912\r\n",
		"bulk":               command("ECHO", strings.Repeat("x", 1<<20)),
	} {
		buf := bytes.Clone([]byte(stream))
		var f Framer
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := f.Next(buf, DefaultLimits)
		var args [][]byte
		if err == nil && n > 0 {
			args, err = Parse(buf[:n], nil)
		}
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Equal(t, strings.HasPrefix(name, "announced"), len(args) == 0, name)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(perByte*len(buf)+16<<10), name)
	}
}
