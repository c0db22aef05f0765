package splitargs

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// lines are tried against the table's authority, redis-server, and against the
// twin. None of them contains LF or NUL, which would end the inline command.
var lines = []string{
	``, ` `, "\t \v\f", `a`, ` a  b `, "a\tb", "a\vb", "a\fb", "a \v b", "a\rb", "a \r",
	`"a b"`, `'a b'`, `"" ''`, `"a"b`, `"a" b`, "\"a\"\vb", "\"a\"\tb", `'a'b`, `"a`, `'a`, `a"`, `a'`,
	`foo"bar baz"`, `foo'bar baz'`, `foo"bar"'baz'`, `x"y" z`, `"a""b"`,
	`"\x41\x4a\xfF\x00"`, `"\x4"`, `"\x4g"`, `"\xg4"`, `"\x`, `"\x41`, `'\x41'`, `\x41`, `"\X41"`,
	`"\n\r\t\b\a\v\q\\\""`, `'\n\''`, `'\\'`, `'\\''`, `'it\'s'`, `"\`, `'\`, `\`, `a\ b`, `a\"b"`,
	`"it's"`, `'say "x"'`, "\x80\xff \xa0 \x85", "\"\xa0\"\xa0", `set "k\"ey" 'v al'`, `*1`, `$1 x`, `{"a b": 1}`,
}

// slow is the twin: one regular walk with the state spelled out as flags.
func slow(line string) (words []string, ok bool) {
	line, _, _ = strings.Cut(line, "\x00")
	for {
		line = strings.TrimLeft(line, " \t\n\v\f\r")
		if line == "" {
			return words, true
		}
		word, quote := "", ""
		for closed := false; !closed; {
			switch c := line[:min(1, len(line))]; {
			case quote == "" && (c == "" || strings.Contains(" \t\r\n", c)):
				closed = true
			case c == "":
				return nil, false
			case quote == "" && (c == `"` || c == `'`):
				quote, line = c, line[1:]
			case c == quote:
				line, closed = line[1:], true
				if strings.TrimLeft(line, " \t\n\v\f\r") == line && line != "" {
					return nil, false
				}
			case quote == `'` && strings.HasPrefix(line, `\'`):
				word, line = word+`'`, line[2:]
			case quote == `"` && c == `\` && len(line) > 1:
				var b byte
				if n, _ := fmt.Sscanf(line+"  ", `\x%2x`, &b); n == 1 && isHexPair(line) {
					word, line = word+string([]byte{b}), line[4:]
					break
				}
				e := line[1:2]
				if i := strings.Index("nrtba", e); i >= 0 {
					e = "\n\r\t\b\a"[i : i+1]
				}
				word, line = word+e, line[2:]
			default:
				word, line = word+c, line[1:]
			}
		}
		words = append(words, word)
	}
}

func isHexPair(line string) bool {
	return len(line) >= 4 && strings.Trim(line[2:4], "0123456789abcdefABCDEF") == ""
}

func texts(words [][]byte) (s []string) {
	for _, w := range words {
		s = append(s, string(w))
	}
	return s
}

func TestSplitAgreesWithTwin(t *testing.T) {
	for _, line := range append(lines, "a\x00b", "\"a\x00\"", "a\nb", "\"a\"\nb") {
		want, wantOK := slow(line)
		got, ok := Split([]byte(line))
		require.Equal(t, wantOK, ok, "%q", line)
		require.Equal(t, want, texts(got), "%q", line)
	}
}

// TestSplitAgreesWithRedis sends each line as the tail of an inline command
// whose reply shows every argument byte by byte: EVAL returns its ARGV.
func TestSplitAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t)
	for _, line := range lines {
		reply := redis.Exchange(t, "EVAL 'return ARGV' 0 "+line+"\r\n")
		var want string
		if words, ok := Split([]byte(line)); ok {
			want = fmt.Sprintf("*%d\r\n", len(words))
			for _, w := range words {
				want += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
			}
		} else {
			want = "-ERR Protocol error: unbalanced quotes in request\r\n"
		}
		require.Equal(t, fmt.Sprintf("%q", reply), fmt.Sprintf("%q", want), "slotcast splits %q otherwise", line)
	}
}

func TestWordsDoNotRunIntoEachOther(t *testing.T) {
	line := []byte("one two")
	words, ok := Split(line)
	require.True(t, ok)
	_ = append(words[0], "more"...)
	require.Equal(t, []string{"one", "two"}, texts(words))
	line[0] = 'X'
	require.Equal(t, []string{"one", "two"}, texts(words))
}

func FuzzSplit(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		got, ok := Split(line)
		want, wantOK := slow(string(line))
		require.Equal(t, wantOK, ok)
		require.Equal(t, want, texts(got))
		require.Equal(t, before, line, "the line is only read")
		total := 0
		for _, w := range got {
			total += len(w)
		}
		require.LessOrEqual(t, total, len(line))
	})
}

func TestQuotedWordsAreReadBack(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	line := AppendQuoted(nil, all)
	require.Equal(t, `"\x00\x01`, string(line[:9]))
	words, ok := Split(line)
	require.True(t, ok)
	require.Equal(t, [][]byte{all}, words)
	require.Equal(t, `"a\"b\\c\n\r\t\a\b\x7f"`, string(AppendQuoted(nil, "a\"b\\c\n\r\t\a\b\x7f")))
}
