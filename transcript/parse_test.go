package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	f, err := Parse("x.txt", `# Shows a thing.
server --maxmemory 1mb --requirepass "a b"
nodes
  aaaa 127.0.0.1:1@2 myself,master - 0 0 1 connected 0-16383
end
a> SET "a\x00b" 'x' "y"*3
a< "+OK"
a< "\r\n"
b<3 ">1\r\n"
protocol 2
  a>> "PING\r\n" "x"*2
end
only slotcast
  a quiet
end
a~> GET k
differs "a reason"
a< redis "x"
a< slotcast "y"
`)
	require.NoError(t, err)
	require.Equal(t, "Shows a thing.", f.Title)
	require.Equal(t, []string{"a reason"}, f.Reasons)
	require.Len(t, f.Steps, 5)

	server := f.Steps[0]
	require.Equal(t, []string{"--maxmemory", "1mb", "--requirepass", "a b"}, server.args)
	require.Equal(t, "aaaa 127.0.0.1:1@2 myself,master - 0 0 1 connected 0-16383\n", server.nodes)

	set := f.Steps[1]
	var args []string
	for _, w := range set.words {
		text, err := w.literalText(nil)
		require.NoError(t, err)
		args = append(args, text)
	}
	require.Equal(t, []string{"SET", "a\x00b", "'x'", "yyy"}, args)
	require.Len(t, set.expects, 2, "lines of one connection are one expectation")
	require.True(t, set.expects[0].holds("redis", 2))
	require.False(t, set.expects[1].holds("redis", 2))

	require.False(t, f.Steps[2].plays("redis", 3))
	require.False(t, f.Steps[3].plays("redis", 2))
	require.True(t, f.Steps[3].plays("slotcast", 2))
	require.Equal(t, ask, f.Steps[4].kind)
	require.False(t, f.Steps[4].expects[0].holds("slotcast", 2))
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a> PING":                                 "opens with a comment",
		"# T\na< \"x\"":                           "no step before",
		"# T\na> PING\na< x":                      "expected quoted text",
		"# T\na> PING\na< \"x":                    "no end of the quoted text",
		"# T\na> PING\na< \"\\q\"":                "no such escape",
		"# T\na> PING\na< redis \"x\"":            "needs a differs line",
		"# T\na> PING\na< {\"x\"":                 "'}' is missing",
		"# T\na> PING\na< bulk(\"x\"":             "is missing",
		"# T\na> PING\na< \"<x=y>\"":              "captures nothing",
		"# T\na> PING\ndiffers":                   "reason in quotes",
		"# T\nonly redis\nend":                    "no such section",
		"# T\nprotocol 2\na> PING":                "has no end",
		"# T\nprotocol 2\na> PING\nend\na< \"x\"": "of another section",
		"# T\na> PING\nprotocol 2\na< \"x\"\nend": "of another section",
		"# T\nend":                                "nothing is open",
		"# T\nnodes\nend":                         "belongs to the server line",
		"# T\nserver\nnodes\nx":                   "has no end",
		"# T\nsay hello":                          "no line of a transcript",
		"# T\na> \"<int>\"*3":                     "does not repeat",
	} {
		_, err := Parse("x.txt", text)
		require.ErrorContains(t, err, want, "%s", text)
	}
}

func TestQuoteIsReadBack(t *testing.T) {
	for _, text := range []string{"", "a", "\r\n\t\x00\xff\"\\", "<int>", "<x=int>", "-<-", "x<y> <any-line>\r\n", strings.Repeat("é", 3)} {
		p, rest, err := quoted(quote([]byte(text)))
		require.NoError(t, err)
		require.Empty(t, rest)
		require.False(t, p.varies())
		got, err := p.literalText(nil)
		require.NoError(t, err)
		require.Equal(t, text, got)
	}
}
