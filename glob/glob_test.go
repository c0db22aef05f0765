package glob

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// The two lists are tried against each other, here and in Redis.
var (
	patterns = []string{
		"", "*", "**", "***", "?", "??", "?*", "*?", "**?*", "a", "a*", "*a", "*a*", "a*b", "a**b", "a?b", "a*b*", "*b*c",
		"h?llo", "h*llo", "h[ae]llo", "h[^e]llo", "h[a-b]llo", "h[b-a]llo", "[a-c]", "[c-a]", "[^a-c]", "[^c-a]",
		"[", "[^", "[]", "[^]", "[]a]", "[^]a]", "[a", "[^a", "[a-", "[a-c", "[^a-c", "[a-]", "[-a]", "[a-]x", "[a-c-e]", "[--a]",
		"[^^]", "[^", "[a^]", "[[]", "[*]", "[?]", "[\\]]", "[\\]", "[\\", "[^\\", "[\\a", "[\\a-c]", "[a-\\]]", "[a-\\c]", "[\\\\]", "[a\\-c]",
		"\\", "\\\\", "\\*", "\\?", "\\[a]", "\\a", "a\\", "a\\*", "a\\*b", "*\\", "*\\*", "*[", "*[^", "*[a", "[]*", "[a]*[b]", "a]", "]",
		"[\x80-\xff]", "[a-\xff]", "[\xff-a]", "[\x01-\xff]", "\xff", "\xff*", "[^\xff]", "[\x00-z]", "a\x00b", "*\x00*",
		"A*", "[A-Z]", "[Z-a]", "*a*b*c*", "a*a*a*b", "*ab*ab", "*aab", "*?b", "b*?", "[a-c]*[a-c]", "*[^a]",
	}
	subjects = []string{
		"", "a", "b", "c", "d", "A", "Z", "z", "ab", "aab", "abab", "aaab", "abc", "a*b", "a*", "a?b", "axb", "a\\", "\\", "\\\\", "\\*",
		"hello", "hallo", "hbllo", "hllo", "heello", "]", "[", "[a]", "[a", "a]", "^", "-", "-x", "ax", "a-", "*", "?", "e", "]x", "^a",
		"\x00", "a\x00b", "\x01", "\x7f", "\x80", "\xff", "\xffa", "aaaaaaaaaaab", "aaaaaaaaaaaa", "bca", "abcabc", "aXbYc", "_", "\\]", "c]",
	}
)

// slow is the twin: what each element means, and every length for every star.
func slow(p, s string) bool {
	if p == "" || s == "" {
		return strings.Trim(p, "*") == "" && s == ""
	}
	if p[0] == '*' {
		return slow(p[1:], s) || slow(p, s[1:])
	}
	fits, rest := element(p, s[0])
	return fits && slow(rest, s[1:])
}

func element(p string, c byte) (fits bool, rest string) {
	switch {
	case p[0] == '?':
		return true, p[1:]
	case p[0] == '\\' && len(p) > 1:
		return p[1] == c, p[2:]
	case p[0] != '[':
		return p[0] == c, p[1:]
	}
	p, not := strings.CutPrefix(p[1:], "^")
	set := map[byte]bool{}
	for p != "" && p[0] != ']' {
		switch {
		case p[0] == '\\' && len(p) > 1:
			set[p[1]], p = true, p[2:]
		case len(p) > 2 && p[1] == '-':
			for b := -128; b < 128; b++ {
				low, high := min(int8(p[0]), int8(p[2])), max(int8(p[0]), int8(p[2]))
				if int(low) <= b && b <= int(high) {
					set[byte(b)] = true
				}
			}
			p = p[3:]
		default:
			set[p[0]], p = true, p[1:]
		}
	}
	return set[c] != not, strings.TrimPrefix(p, "]")
}

// twin adds the one rule that slow leaves out.
func twin(p, s string) bool {
	return slow(p, s) && (s != "" || p == "")
}

func TestMatchAgreesWithTwin(t *testing.T) {
	for _, p := range patterns {
		for _, s := range subjects {
			require.Equal(t, twin(p, s), Match([]byte(p), []byte(s), false), "%q on %q", p, s)
		}
	}
}

// TestMatchAgreesWithRedis lets KEYS choose among all subjects by each pattern.
func TestMatchAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t)
	mset := []string{"MSET"}
	for _, s := range subjects {
		mset = append(mset, s, "")
	}
	require.Equal(t, "+OK\r\n", redis.Exchange(t, request(mset...)))
	for _, p := range patterns {
		var want []string
		for _, s := range subjects {
			if p == "*" || Match([]byte(p), []byte(s), false) { // KEYS * means all
				want = append(want, s)
			}
		}
		got := bulks(t, redis.Exchange(t, request("KEYS", p)))
		sort.Strings(want)
		sort.Strings(got)
		require.Equal(t, fmt.Sprintf("%q", got), fmt.Sprintf("%q", want), "KEYS %q", p)
	}
}

// TestMatchNocaseAgreesWithRedis uses CONFIG GET, which ignores case. A pattern
// without '*', '?' or '[' is looked up there and not matched.
func TestMatchNocaseAgreesWithRedis(t *testing.T) {
	redis := redistest.Start(t)
	names := configNames(t, redis, "?*")
	require.Contains(t, names, "maxmemory-policy")
	for _, p := range []string{
		"PORT*", "p[N-P]rt", "p[n-p]RT", "P[P-N]RT", "p[Z-a]rt", "p[a-Z]rt", "[^P]*", "[^p]ort", "p[\\O]rt", "p[\\o]RT", "*\\OR\\T", "*-?", "*MEM*",
		"max*[-_]*", "[A-F]*", "[a-F]*", "*[R-t]", "*[T-r]", "[A-", "*[^A-Y]", "*[E", "TIMEOU?", "[a-\xff]*", "*[\x80-E]", "[\xff-B]*",
	} {
		var want []string
		for _, name := range names {
			if Match([]byte(p), []byte(name), true) {
				want = append(want, name)
			}
		}
		require.Equal(t, configNames(t, redis, p), want, "CONFIG GET %q", p)
	}
}

func configNames(t *testing.T, redis *redistest.Server, pattern string) (names []string) {
	reply := bulks(t, redis.Exchange(t, request("CONFIG", "GET", pattern)))
	for pair := range slices.Chunk(reply, 2) {
		names = append(names, pair[0])
	}
	sort.Strings(names)
	return names
}

func request(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.String()
}

// bulks reads an array of bulk strings.
func bulks(t *testing.T, reply string) (all []string) {
	var n, size int
	_, err := fmt.Sscanf(reply, "*%d\r\n", &n)
	require.NoError(t, err, "%q", reply)
	_, reply, _ = strings.Cut(reply, "\r\n")
	for range n {
		_, err := fmt.Sscanf(reply, "$%d\r\n", &size)
		require.NoError(t, err, "%q", reply)
		_, reply, _ = strings.Cut(reply, "\r\n")
		all = append(all, reply[:size])
		reply = reply[size+2:]
	}
	require.Empty(t, reply)
	return all
}

// TestMatchIsAtMostQuadratic gives a pattern that takes an exponential matcher
// longer than the age of the world; the test timeout is the judge.
func TestMatchIsAtMostQuadratic(t *testing.T) {
	s := []byte(strings.Repeat("a", 20000))
	require.False(t, Match([]byte(strings.Repeat("a*", 1000)+"b"), s, false))
	require.False(t, Match([]byte(strings.Repeat("*a", 1000)+"*b"), s, true))
	require.True(t, Match([]byte(strings.Repeat("*a", 1000)+"*"), s, false))
}

func TestMatchDoesNotAllocate(t *testing.T) {
	pattern, s := []byte("news.[a-z]*\\*?x*"), []byte("NEWS.art*yx.yes")
	require.True(t, Match(pattern, s, true))
	require.Zero(t, testing.AllocsPerRun(100, func() { Match(pattern, s, true) }))
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		pattern, prefix string
		literal         bool
	}{
		{"", "", true},
		{"news", "news", true},
		{"news*", "news", false},
		{"ne?s", "ne", false},
		{"ne[w]s", "ne", false},
		{"*", "", false},
		{`a\*b`, "a*b", true},
		{`a\*b*c`, "a*b", false},
		{`\[x\]?`, "[x]", false},
		{`a\`, `a\`, true},
		{`\a\`, `a\`, true},
		{`a]`, `a]`, true},
		{`__cluster\-slots__*`, "__cluster-slots__", false},
		{`__cluster-slots_?`, "__cluster-slots_", false},
	} {
		prefix, literal := Literal([]byte(c.pattern))
		require.Equal(t, c.prefix, string(prefix), c.pattern)
		require.Equal(t, c.literal, literal, c.pattern)
	}
	pattern := []byte("__cluster-slots__:*")
	require.Zero(t, testing.AllocsPerRun(100, func() { Literal(pattern) }))
}

func FuzzMatch(f *testing.F) {
	for i, p := range patterns {
		f.Add([]byte(p), []byte(subjects[i%len(subjects)]))
	}
	f.Fuzz(func(t *testing.T, pattern, s []byte) {
		if len(pattern) > 24 || len(s) > 24 {
			return // the twin is exponential
		}
		got := Match(pattern, s, false)
		require.Equal(t, twin(string(pattern), string(s)), got)
		if got {
			require.True(t, Match(pattern, s, false))
			prefix, literal := Literal(pattern)
			require.True(t, strings.HasPrefix(string(s), string(prefix)))
			require.True(t, !literal || len(s) == len(prefix))
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for name, c := range map[string][2]string{
		"prefix": {"news.*", "news.sport.football"},
		"class":  {"news.[a-z]*.foot*", "news.sport.football"},
		"stars":  {"*a*a*a*b", strings.Repeat("a", 100)},
	} {
		b.Run(name, func(b *testing.B) {
			pattern, s := []byte(c[0]), []byte(c[1])
			for b.Loop() {
				Match(pattern, s, false)
			}
		})
	}
}
