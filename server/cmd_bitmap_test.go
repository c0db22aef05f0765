package server

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func bitCommand(r *rand.Rand) []string {
	d := draw{r}
	near := func() string { return d.pick(d.number(), strconv.Itoa(d.IntN(700)), strconv.Itoa(-d.IntN(700))) }
	bitRange := func(args ...string) []string {
		for range d.IntN(3) {
			args = append(args, near())
		}
		if d.IntN(2) == 0 {
			args = append(args, d.pick("BIT", "BYTE", "bit", "NOPE"))
		}
		if d.IntN(20) == 0 {
			args = append(args, "BIT")
		}
		return args
	}
	switch d.IntN(12) {
	case 0, 1:
		return []string{"SET", d.key(), d.text()}
	case 2:
		return []string{"GET", d.key()}
	case 3:
		return []string{"DEL", d.key()}
	case 4:
		return []string{"SETBIT", d.key(), d.pick(strconv.Itoa(d.IntN(700)), strconv.Itoa(d.IntN(8)), "-1", "x", "4294967296", "9223372036854775807"), d.pick("0", "1", "1", "2", "-1", "x")}
	case 5:
		return []string{"GETBIT", d.key(), d.pick(strconv.Itoa(d.IntN(700)), "4294967295", d.number())}
	case 6, 7:
		return bitRange("BITCOUNT", d.key())
	case 8, 9, 10:
		return bitRange("BITPOS", d.key(), d.pick("0", "1", "0", "1", "2", "x"))
	}
	args := []string{"BITOP", d.pick("AND", "or", "XOR", "NOT", "NOPE"), d.key()}
	for range 1 + d.IntN(1+d.IntN(3)) {
		args = append(args, d.key())
	}
	return args
}

func TestBitmapCommandsAreAsInRedis(t *testing.T) {
	compareRandom(t, "2", 7, 150, bitCommand)
}

func fieldCommand(r *rand.Rand) []string {
	d := draw{r}
	switch d.IntN(8) {
	case 0:
		return []string{"SET", d.key(), d.text()}
	case 1:
		return []string{d.pick("GET", "DEL", "OBJECT"), d.key()}
	}
	args := []string{d.pick("BITFIELD", "BITFIELD", "BITFIELD", "BITFIELD_RO"), d.key()}
	for range d.IntN(5) {
		width := strconv.Itoa(1 + d.IntN(64))
		field := d.pick("i"+width, "u"+width, "i8", "u8", "i64", "u63")
		offset := d.pick(strconv.Itoa(d.IntN(300)), "#"+strconv.Itoa(d.IntN(20)), "0", "0")
		if d.IntN(40) == 0 {
			field = d.pick("u64", "i65", "u0", "x8", "", "i", "I8", "i-1", "i08", "i8x")
		}
		if d.IntN(40) == 0 {
			offset = d.pick("-1", "#-1", "#", "", "x", "4294967296", "#2305843009213693952", "#9223372036854775807")
		}
		if d.IntN(3) == 0 {
			args = append(args, "OVERFLOW", d.pick("WRAP", "SAT", "FAIL", "sat", "fail", "FAIL", "SAT", "WRAP", d.pick("SAT", "NOPE")))
		}
		switch d.IntN(5) {
		case 0, 1:
			args = append(args, "GET", field, offset)
		case 2:
			args = append(args, "SET", field, offset, d.number())
		default:
			args = append(args, d.pick("INCRBY", "incrby"), field, offset, d.number())
		}
	}
	if d.IntN(30) == 0 {
		args = args[:len(args)-1]
	}
	return args
}

func TestBitfieldIsAsInRedis(t *testing.T) {
	for _, protocol := range []string{"2", "3"} {
		t.Run("RESP"+protocol, func(t *testing.T) {
			compareRandom(t, protocol, 9, 150, fieldCommand)
		})
	}
}

// TestBitsAreCountedAndFoundOneByOne compares with a twin that looks at every
// bit, in strings long enough for whole words.
func TestBitsAreCountedAndFoundOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	d := draw{r}
	for range 5000 {
		b := []byte(d.text())
		if len(b) == 0 {
			continue
		}
		from := r.Int64N(int64(len(b)) * 8)
		to := from + r.Int64N(int64(len(b))*8-from+1)
		count := int64(0)
		first := map[bool]int64{true: -1, false: -1}
		for i := from; i < to; i++ {
			on := b[i/8]>>(7-i%8)&1 == 1
			if on {
				count++
			}
			if first[on] < 0 {
				first[on] = i
			}
		}
		require.Equal(t, count, countBits(b, from, to), "%x %d %d", b, from, to)
		for on, want := range first {
			require.Equal(t, want, findBit(b, from, to, on), "%x %d %d", b, from, to)
		}
	}
}
