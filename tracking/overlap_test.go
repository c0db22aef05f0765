package tracking

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// naiveOverlap compares each with each, in the order in which Redis does.
func naiveOverlap(had, given []string) (o Overlap, found bool) {
	for i, p := range given {
		for _, other := range had {
			if strings.HasPrefix(p, other) || strings.HasPrefix(other, p) {
				return Overlap{p, other, true}, true
			}
		}
		for _, other := range given[i+1:] {
			if strings.HasPrefix(p, other) || strings.HasPrefix(other, p) {
				return Overlap{p, other, false}, true
			}
		}
	}
	return o, false
}

func TestFindOverlap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := func(most, long int) []string {
		list := make([]string, rnd.IntN(most+1))
		for i := range list {
			b := make([]byte, rnd.IntN(long+1))
			for i := range b {
				b[i] = "abc"[rnd.IntN(3)]
			}
			list[i] = string(b)
		}
		return list
	}
	outcomes := map[string]int{}
	for range 20000 {
		long := 1 + rnd.IntN(8)
		had, given := words(3, long), words(4, long)
		slices.Sort(had) // which may overlap among themselves: the empty prefix can be added to others
		want, wanted := naiveOverlap(had, given)
		got, found := FindOverlap(had, given)
		require.Equal(t, wanted, found, "%q %q", had, given)
		require.Equal(t, want, got, "%q %q", had, given)
		outcomes[fmt.Sprint(found, got.Had)]++
	}
	for _, outcome := range []string{"false false", "true false", "true true"} {
		require.Greater(t, outcomes[outcome], 1000, outcomes)
	}
}

// TestManyPrefixesTakeNoTime gives as many prefixes as a request can have, of
// which the last two overlap.
func TestManyPrefixesTakeNoTime(t *testing.T) {
	given := make([]string, 1<<19)
	for i := range given {
		given[i] = fmt.Sprintf("%08d", i)
	}
	given = append(given, "x", "xx")
	start := time.Now()
	o, found := FindOverlap(given[:1000], given[1000:])
	require.True(t, found)
	require.Equal(t, Overlap{"x", "xx", false}, o)
	require.Less(t, time.Since(start), 30*time.Second, "each with each takes many minutes")
}
