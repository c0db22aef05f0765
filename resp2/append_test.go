package resp2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// command is a request as stock clients send it.
func command(args ...string) string {
	b := AppendArray(nil, len(args))
	for _, a := range args {
		b = AppendBulkString(b, a)
	}
	return string(b)
}

func TestAppend(t *testing.T) {
	for want, got := range map[string][]byte{
		"+OK\r\n":                         AppendStatus(nil, "OK"),
		"+a  b\r\n":                       AppendStatus(nil, "a\r\nb"),
		"-ERR no  way\r\n":                AppendError(nil, "ERR no\r\nway"),
		"-ERR x \r\n":                     AppendError(nil, "ERR x\n"),
		":-9223372036854775808\r\n":       AppendInt(nil, math.MinInt64),
		":10\r\n":                         AppendInt(nil, 10),
		"$0\r\n\r\n":                      AppendBulk(nil, nil),
		"$4\r\na\r\n\x00\r\n":             AppendBulk(nil, []byte("a\r\n\x00")),
		"$2\r\nab\r\n":                    AppendBulkString(nil, "ab"),
		"$-1\r\n":                         AppendNull(nil),
		"*-1\r\n":                         AppendNullArray(nil),
		"*0\r\n":                          AppendArray(nil, 0),
		"*6\r\n":                          AppendMap(nil, 3),
		"*3\r\n":                          AppendSet(nil, 3),
		"*12\r\n":                         AppendPush(nil, 12),
		"$3\r\n0.5\r\n":                   AppendDouble(nil, 0.5),
		":1\r\n":                          AppendBool(nil, true),
		":0\r\n":                          AppendBool(nil, false),
		"$20\r\n12345678901234567890\r\n": AppendBigNumber(nil, "12345678901234567890"),
		"$4\r\ntext\r\n":                  AppendVerbatim(nil, "txt", "text"),
		"before$-1\r\n":                   AppendNull([]byte("before")),
	} {
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got))
	}
}

func TestAppendAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t, "--enable-debug-command", "yes")
	big := "1234567999999999999999999999999999999"
	for request, want := range map[string][]byte{
		"DEBUG PROTOCOL null":                             AppendNull(nil),
		"DEBUG PROTOCOL true":                             AppendBool(nil, true),
		"DEBUG PROTOCOL false":                            AppendBool(nil, false),
		"DEBUG PROTOCOL double":                           AppendDouble(nil, 3.141),
		"DEBUG PROTOCOL bignum":                           AppendBigNumber(nil, big),
		"DEBUG PROTOCOL verbatim":                         AppendVerbatim(nil, "txt", "This is a verbatim\nstring"),
		"DEBUG PROTOCOL set":                              AppendInt(AppendInt(AppendInt(AppendSet(nil, 3), 0), 1), 2),
		"DEBUG PROTOCOL integer":                          AppendInt(nil, 12345),
		"DEBUG PROTOCOL string":                           AppendBulkString(nil, "Hello World"),
		`EVAL "return redis.status_reply('a\\r\\nb')" 0`:  AppendStatus(nil, "a\r\nb"),
		`EVAL "return redis.error_reply('E a\\r\\nb')" 0`: AppendError(nil, "E a\r\nb"),
		"BLPOP k 0.001":                                   AppendNullArray(nil),
	} {
		// What waits for a timeout needs the connection to stay open.
		got := exchangeUntil(t, redis, request+"\r\n", len(want))
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got), "%s", request)
	}
}

// doubles are the edges of "%.17g": where the exponent begins, where digits
// end, the greatest, the least, the ones without a value.
func doubles() []float64 {
	fs := []float64{
		0, math.Copysign(0, -1), 1, -1, 10, 100, 1e5, 1e6, 123456789, 0.1, 0.2, 0.3, 1.0 / 3, 2.0 / 3, 3.141, 1e-4, 1.5e-4,
		9.9999e-5, 1e-5, 1e15, 1e16, 12345678901234567, 1e17, 99999999999999984, 99999999999999999, 123456789012345680000,
		1e100, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, -1e-7, 1 << 53, 1<<53 + 2, 1e21, 1e22, 1e23,
		math.Inf(1), math.Inf(-1),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		if f := math.Float64frombits(random.Uint64()); !math.IsNaN(f) {
			fs = append(fs, f, math.Round(f/math.Pow(2, 1000)), random.NormFloat64()*1e6, float64(random.Int64()))
		}
	}
	return fs
}

func TestDoubleAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t)
	const script = "local r = {} for i, text in ipairs(ARGV) do r[i] = {double = tonumber(text)} end return r"
	for fs := range slices.Chunk(doubles(), 100) {
		args := []string{"EVAL", script, "0"}
		want := AppendArray(nil, len(fs))
		for _, f := range fs {
			// A hexadecimal literal cannot be rounded on its way.
			args = append(args, strconv.FormatFloat(f, 'x', -1, 64))
			want = AppendDouble(want, f)
		}
		reply := redis.Exchange(t, command(args...))
		require.Equal(t, strings.Split(string(want), "\r\n"), strings.Split(reply, "\r\n"))
	}

	// The two NaNs: x86 gives 0/0 the sign, and printf shows it.
	require.Equal(t, redis.Exchange(t, "EVAL 'return {double=0/0}' 0\r\n"),
		string(AppendDouble(nil, math.Copysign(math.NaN(), -1))))
	require.Equal(t, redis.Exchange(t, "EVAL 'return {double=-(0/0)}' 0\r\n"),
		string(AppendDouble(nil, math.Copysign(math.NaN(), 1))))
}

func TestDoubleReadsBack(t *testing.T) {
	for _, f := range doubles() {
		text := string(AppendDoubleText(nil, f))
		back, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(f), math.Float64bits(back), text)
		require.LessOrEqual(t, len(text), maxDoubleText)
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
		b = AppendDouble(b, -math.Pi*1e-300)
		b = AppendDouble(b, 1e15)
		b = AppendBool(b, true)
		b = AppendBigNumber(b, "123")
		b = AppendVerbatim(b, "txt", "text")
	}))
}
