package transcript

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func matches(t *testing.T, spelled, text string, protocol int) (err error, known map[string]string) {
	t.Helper()
	p, err := wire(spelled)
	require.NoError(t, err)
	known = map[string]string{"port": "12345"}
	m := match{from: bufio.NewReader(strings.NewReader(text)), known: known, protocol: protocol}
	if err := m.pattern(p); err != nil {
		return err, known
	}
	require.Equal(t, text, string(m.got), "everything was read")
	return nil, known
}

func TestPatternMatches(t *testing.T) {
	id := strings.Repeat("0af9", 10)
	for _, c := range []struct {
		pattern, text string
		protocol      int
	}{
		{`"+OK\r\n"`, "+OK\r\n", 2},
		{`":<int>\r\n"`, ":-12\r\n", 2},
		{`":<up-to-100>\r\n"`, ":90\r\n", 2},
		{`",<float>\r\n"`, ",1.5e+10\r\n", 3},
		{`"$40\r\n<id>\r\n"`, "$40\r\n" + id + "\r\n", 2},
		{`"-ERR <any-line>\r\n"`, "-ERR whatever it is\r\n", 2},
		{`"*2\r\n<bulk>:1\r\n"`, "*2\r\n$3\r\na\r\n\r\n:1\r\n", 2},
		{`"<any-reply>"`, "%1\r\n+a\r\n*2\r\n:1\r\n$-1\r\n", 3},
		{`":<x=int>\r\n:<x>\r\n"`, ":7\r\n:7\r\n", 2},
		{`":<port>\r\n"`, ":12345\r\n", 2},
		{`"*3\r\n" {"$1\r\na\r\n" "$1\r\nb\r\n" ":1\r\n"}`, "*3\r\n:1\r\n$1\r\na\r\n$1\r\nb\r\n", 2},
		{`"*4\r\n" {"$1\r\na\r\n:1\r\n" "$1\r\nb\r\n:2\r\n"}`, "*4\r\n$1\r\nb\r\n:2\r\n$1\r\na\r\n:1\r\n", 2},
		{`bulk("a:<int>\r\n<any-lines>z:\xff\r\n")`, "$18\r\na:1\r\nb:2\r\nc\r\nz:\xff\r\n\r\n", 2},
		{`bulk({"a:<int>\n" "b\n"})`, "$6\r\nb\na:1\n\r\n", 2},
		{`text("a:<int>")`, "$4\r\na:12\r\n", 2},
		{`text("a:<int>")`, "=8\r\ntxt:a:12\r\n", 3},
		{`verbatim("a")`, "=5\r\ntxt:a\r\n", 2},
	} {
		err, _ := matches(t, c.pattern, c.text, c.protocol)
		require.NoError(t, err, "%s", c.pattern)
	}
}

func TestPatternRefuses(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{`"+OK\r\n"`, "+ok\r\n", `byte 1 is 'o', not 'O'`},
		{`"+OK\r\n"`, "+OK", "EOF"},
		{`":<int>\r\n"`, ":x\r\n", "<int> is expected"},
		{`":<up-to-100>\r\n"`, ":101\r\n", "not just below"},
		{`":<up-to-100>\r\n"`, ":89\r\n", "not just below"},
		{`"<id>"`, "xyz", "no digit"},
		{`"<bulk>"`, ":1\r\n", "where a bulk string is expected"},
		{`":<x=int>\r\n:<x>\r\n"`, ":7\r\n:8\r\n", "not '7'"},
		{`"<y>"`, "x", "has not been captured"},
		{`{"$1\r\na\r\n" "$1\r\nb\r\n"}`, "$1\r\na\r\n$1\r\na\r\n", "none of the 1 members left"},
		{`bulk("a:<int>")`, "$3\r\na:x\r\n", "not what is described"},
		{`bulk({"a\n" "b\n"})`, "$4\r\na\na\n\r\n", "no line is as"},
		{`bulk({"a\n"})`, "$4\r\na\nb\n\r\n", "has also"},
		{`bulk({"a\n" "b\n"})`, "$2\r\na\n\r\n", "no line is as"},
		{`text("a")`, "=5\r\ntxt:a\r\n", "does not open a bulk string"},
		{`"<any-lines>"`, "a\n", "has its place inside"},
	} {
		err, _ := matches(t, c.pattern, c.text, 2)
		require.ErrorContains(t, err, c.want, "%s", c.pattern)
	}
}

func TestPatternCaptures(t *testing.T) {
	err, known := matches(t, `":<x=int>\r\n" bulk("v:<y=any-line>.") "<z=bulk>"`, ":7\r\n$6\r\nv:abc.\r\n$2\r\nhi\r\n", 2)
	require.NoError(t, err)
	require.Equal(t, "7", known["x"])
	require.Equal(t, "abc", known["y"])
	require.Equal(t, "hi", known["z"])
}

func TestReplyIsBelievedAsFarAsItComes(t *testing.T) {
	for _, text := range []string{"$1000000000\r\nabc", "*1000000000\r\n:1\r\n", "%9999999\r\n", strings.Repeat("*1\r\n", 1000)} {
		r := strings.NewReader(text)
		_, _, err := readReply(r.ReadByte)
		require.Error(t, err)
	}
}
