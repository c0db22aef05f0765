package server

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func lcsCommand(r *rand.Rand) []string {
	d := draw{r}
	if d.IntN(3) == 0 {
		letters := 2 + d.IntN(6)
		b := make([]byte, d.IntN(1+d.IntN(200)))
		for i := range b {
			b[i] = byte('a' + d.IntN(letters))
		}
		return []string{"SET", d.key(), string(b)}
	}
	args := []string{"LCS", d.key(), d.key()}
	switch d.IntN(4) {
	case 0:
		args = append(args, "LEN")
	case 1, 2:
		args = append(args, "IDX")
	}
	if d.IntN(3) == 0 {
		args = append(args, "MINMATCHLEN", d.pick(strconv.Itoa(d.IntN(6)), "-1", "x"))
	}
	if d.IntN(3) == 0 {
		args = append(args, "WITHMATCHLEN")
	}
	if d.IntN(20) == 0 {
		args = append(args, d.pick("LEN", "NOPE", "MINMATCHLEN"))
	}
	return args
}

func TestLCSIsAsInRedis(t *testing.T) {
	for _, protocol := range []string{"2", "3"} {
		t.Run("RESP"+protocol, func(t *testing.T) {
			compareRandom(t, protocol, 13, 60, lcsCommand)
		})
	}
}

// TestLCSTableIsTheOneOfTheBooks compares with the table of lengths that the
// textbook fills cell by cell.
func TestLCSTableIsTheOneOfTheBooks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	d := draw{r}
	for range 300 {
		a, b := []byte(d.text()+d.text()), []byte(d.text()+d.text())
		lengths := make([][]int, len(a)+1)
		for i := range lengths {
			lengths[i] = make([]int, len(b)+1)
			for j := 1; i > 0 && j <= len(b); j++ {
				if lengths[i][j] = max(lengths[i-1][j], lengths[i][j-1]); a[i-1] == b[j-1] {
					lengths[i][j] = lengths[i-1][j-1] + 1
				}
			}
		}
		table := newLCSTable(a, b, true)
		require.Equal(t, lengths[len(a)][len(b)], table.length)
		require.Equal(t, table.length, newLCSTable(a, b, false).length)
		for i := 1; i <= len(a); i++ {
			for j := 1; j <= len(b); j++ {
				require.Equal(t, lengths[i][j] > lengths[i][j-1], table.grows(i, j), "%x %x at %d %d", a, b, i, j)
			}
		}
	}
}

// TestLCSMemoryIsBounded asks for the largest tables that are allowed, in their
// three shapes, and for one that is not.
func TestLCSMemoryIsBounded(t *testing.T) {
	s := startServer(t, "--proto-max-bulk-len", "4mb")
	c := s.dial(t)
	const cells = 1 << 20 // of four bytes each
	for _, a := range []int{1, 1000, cells/2 - 1} {
		c.want("+OK\r\n", "MSET", "{l}a", "", "{l}b", "")
		c.do("SETRANGE", "{l}a", strconv.Itoa(a-1), "x")
		c.do("SETRANGE", "{l}b", strconv.Itoa(cells/(a+1)-2), "x")
		require.Equal(t, byte(':'), c.do("LCS", "{l}a", "{l}b", "LEN")[0])
		size := min(a, cells/(a+1)-1)
		c.want(":"+strconv.Itoa(size)+"\r\n", "LCS", "{l}a", "{l}b", "LEN")
		table := newLCSTable(make([]byte, a), make([]byte, cells/(a+1)-1), true)
		require.LessOrEqual(t, len(table.rows), cells)
		c.do("APPEND", "{l}b", "12")
		c.want("-"+string(errLCSLimit)+"\r\n", "LCS", "{l}a", "{l}b", "LEN")
	}
}
