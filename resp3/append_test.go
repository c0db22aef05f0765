package resp3

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

func TestAppend(t *testing.T) {
	for want, got := range map[string][]byte{
		"+a b\r\n":                 AppendStatus(nil, "a\nb"),
		"-ERR a b\r\n":             AppendError(nil, "ERR a\rb"),
		":-1\r\n":                  AppendInt(nil, -1),
		"$1\r\na\r\n":              AppendBulk(nil, []byte("a")),
		"$2\r\nab\r\n":             AppendBulkString(nil, "ab"),
		"_\r\n":                    AppendNull(nil),
		"x_\r\n":                   AppendNullArray([]byte("x")),
		"*2\r\n":                   AppendArray(nil, 2),
		"%2\r\n":                   AppendMap(nil, 2),
		"~16384\r\n":               AppendSet(nil, 16384),
		">3\r\n":                   AppendPush(nil, 3),
		"|1\r\n":                   AppendAttribute(nil, 1),
		",-inf\r\n":                AppendDouble(nil, math.Inf(-1)),
		",0.10000000000000001\r\n": AppendDouble(nil, 0.1),
		"#t\r\n":                   AppendBool(nil, true),
		"#f\r\n":                   AppendBool(nil, false),
		"(123\r\n":                 AppendBigNumber(nil, "123"),
		"=8\r\ntxt:text\r\n":       AppendVerbatim(nil, "txt", "text"),
		"=4\r\nm  :\r\n":           AppendVerbatim(nil, "m", ""),
		"=5\r\nmar:x\r\n":          AppendVerbatim(nil, "markdown", "x"),
	} {
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got))
	}
}

func TestAppendAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t, "--enable-debug-command", "yes")
	const endOfHello = "modules\r\n*0\r\n"
	ints := func(b []byte) []byte { return AppendInt(AppendInt(AppendInt(b, 0), 1), 2) }
	attribute := AppendAttribute(nil, 1)
	attribute = AppendBulkString(attribute, "key-popularity")
	attribute = AppendArray(attribute, 2)
	attribute = AppendBulkString(attribute, "key:123")
	attribute = AppendInt(attribute, 90)
	attribute = AppendBulkString(attribute, "Some real reply following the attribute")
	pushed := AppendPush(nil, 2)
	pushed = AppendBulkString(pushed, "server-cpu-usage")
	pushed = AppendInt(pushed, 42)
	pushed = AppendBulkString(pushed, "Some real reply following the push reply")
	mapped := AppendMap(nil, 3)
	for i, v := range []bool{false, true, false} {
		mapped = AppendBool(AppendInt(mapped, int64(i)), v)
	}
	for request, want := range map[string][]byte{
		"DEBUG PROTOCOL null":     AppendNull(nil),
		"DEBUG PROTOCOL true":     AppendBool(nil, true),
		"DEBUG PROTOCOL false":    AppendBool(nil, false),
		"DEBUG PROTOCOL double":   AppendDouble(nil, 3.141),
		"DEBUG PROTOCOL bignum":   AppendBigNumber(nil, "1234567999999999999999999999999999999"),
		"DEBUG PROTOCOL verbatim": AppendVerbatim(nil, "txt", "This is a verbatim\nstring"),
		"DEBUG PROTOCOL array":    ints(AppendArray(nil, 3)),
		"DEBUG PROTOCOL set":      ints(AppendSet(nil, 3)),
		"DEBUG PROTOCOL map":      mapped,
		"DEBUG PROTOCOL attrib":   attribute,
		"DEBUG PROTOCOL push":     pushed,
		"GET no-such-key":         AppendNull(nil),
		`EVAL "redis.setresp(3) return {double=tonumber(ARGV[1])}" 0 1e300`:  AppendDouble(nil, 1e300),
		`EVAL "redis.setresp(3) return {double=tonumber(ARGV[1])}" 0 -1e999`: AppendDouble(nil, math.Inf(-1)),
	} {
		reply := redis.Exchange(t, "HELLO 3\r\n"+request+"\r\n")
		_, got, found := strings.Cut(reply, endOfHello)
		require.True(t, found, "%q", reply)
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got), "%s", request)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	b := make([]byte, 0, 4096)
	bulk := []byte("bulk")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b = AppendStatus(b[:0], "OK\n")
		b = AppendError(b, "ERR a\r\nb")
		b = AppendInt(b, math.MinInt64)
		b = AppendBulk(b, bulk)
		b = AppendBulkString(b, "bulk")
		b = AppendNull(b)
		b = AppendNullArray(b)
		b = AppendArray(b, 1000)
		b = AppendMap(b, 1000)
		b = AppendSet(b, 1000)
		b = AppendPush(b, 1000)
		b = AppendAttribute(b, 1000)
		b = AppendDouble(b, math.Pi)
		b = AppendBool(b, true)
		b = AppendBigNumber(b, "123")
		b = AppendVerbatim(b, "txt", "text")
	}))
}
