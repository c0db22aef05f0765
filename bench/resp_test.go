//go:build linux

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wholeReplies are one reply each.
var wholeReplies = []string{
	"+OK\r\n", ":12\r\n", "-ERR no\r\n", "$0\r\n\r\n", "$5\r\na\r\nbc\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n", "_\r\n", "#t\r\n", ",1.5\r\n",
	"*3\r\n$1\r\na\r\n*2\r\n:1\r\n*0\r\n+x\r\n",
	"%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n",
	">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n~1\r\n(12\r\n",
	"|1\r\n+ttl\r\n:3\r\n*1\r\n=5\r\ntxt:a\r\n",
}

func TestReplyLen(t *testing.T) {
	for _, reply := range wholeReplies {
		for cut := range len(reply) {
			n, err := replyLen([]byte(reply[:cut]))
			require.NoError(t, err, "%q", reply[:cut])
			require.Zero(t, n, "%q", reply[:cut])
		}
		n, err := replyLen([]byte(reply + "+more\r\n"))
		require.NoError(t, err, "%q", reply)
		require.Equal(t, len(reply), n, "%q", reply)
	}
	for _, bad := range []string{"hello\r\n", "$x\r\n", "*99999999999\r\n", "$-2\r\n", "+a\n", "\r\n"} {
		_, err := replyLen([]byte(bad))
		require.ErrorIs(t, err, errNotRESP, "%q", bad)
	}
}

// What a server sends neither panics nor is said to be longer than it is.
func FuzzReplyLen(f *testing.F) {
	for _, reply := range wholeReplies {
		f.Add([]byte(reply))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := replyLen(b)
		require.LessOrEqual(t, n, len(b))
		require.GreaterOrEqual(t, n, 0)
		if err == nil && n > 0 {
			again, err := replyLen(b[:n])
			require.NoError(t, err)
			require.Equal(t, n, again)
		}
	})
}

func TestReplyLines(t *testing.T) {
	text := ":1000\r\n+OK\r\n:7\r\n"
	for size := 1; size <= len(text); size++ {
		var l replyLines
		sum := 0
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			got, err := l.count([]byte(rest[:n]))
			require.NoError(t, err)
			sum += got
			rest = rest[n:]
		}
		require.Equal(t, 3, sum, "in pieces of %d", size)
	}
}

func TestReplyLinesReportErrors(t *testing.T) {
	var l replyLines
	n, err := l.count([]byte(":1\r\n-ERR ch"))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = l.count([]byte("annel\r\n:1\r\n"))
	require.ErrorContains(t, err, "ERR channel")
	require.False(t, strings.Contains(err.Error(), ":1"))
}
