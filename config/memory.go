package config

import (
	"math"
	"strconv"
	"strings"
)

// memory is an amount of bytes with an optional unit: k, m and g count in
// thousands, kb, mb and gb in 1024s.
type memory struct {
	min, max uint64
	clampMin uint64
}

func (k memory) parse(words []string, _ setting) (string, error) {
	n, ok := parseMemory(words[0])
	if !ok {
		return "", fault("argument must be a memory value")
	}
	if n < k.min || n > k.max {
		return "", outOfRange(strconv.FormatUint(k.min, 10), strconv.FormatUint(k.max, 10))
	}
	return strconv.FormatUint(max(n, k.clampMin), 10), nil
}

func (memory) lines(name, text string) []string {
	return plainLine(name, memoryText(text))
}

// memoryOrPercent is an amount of bytes, or a share of maxmemory up to 100%.
type memoryOrPercent struct{}

func (memoryOrPercent) parse(words []string, _ setting) (string, error) {
	word := words[0]
	if n, ok := parseMemory(word); ok {
		if n <= math.MaxInt64 {
			return strconv.FormatUint(n, 10), nil
		}
		// Redis keeps a share as a negative number, and takes an amount so
		// large for one.
		return percent(-n)
	}
	share, isShare := strings.CutSuffix(word, "%")
	n, ok := parseInt(share)
	if !isShare || !ok || n < 0 {
		return "", fault("argument must be a memory or percent value")
	}
	return percent(uint64(n))
}

func percent(n uint64) (string, error) {
	if n > 100 {
		return "", fault("percentage argument must be less or equal to 100")
	}
	if n == 0 {
		return "0", nil
	}
	return strconv.FormatUint(n, 10) + "%", nil
}

func (memoryOrPercent) lines(name, text string) []string {
	if strings.HasSuffix(text, "%") {
		return plainLine(name, text)
	}
	return plainLine(name, memoryText(text))
}

// parseMemory reads an amount as Redis does, oddities included: no digits are
// a zero, too many the largest number, and a product too large wraps around.
func parseMemory(s string) (uint64, bool) {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	var unit uint64
	switch strings.ToLower(s[digits:]) {
	case "", "b":
		unit = 1
	case "k":
		unit = 1000
	case "kb":
		unit = 1 << 10
	case "m":
		unit = 1000 * 1000
	case "mb":
		unit = 1 << 20
	case "g":
		unit = 1000 * 1000 * 1000
	case "gb":
		unit = 1 << 30
	default:
		return 0, false
	}
	const maxDigits = 128
	if digits >= maxDigits {
		return 0, false
	}
	if digits == 0 {
		return 0, true
	}
	n, err := strconv.ParseUint(s[:digits], 10, 64)
	if err != nil {
		n = math.MaxUint64
	}
	return n * unit, true
}

// memoryText writes bytes with the largest unit that divides them, as CONFIG
// REWRITE does.
func memoryText(bytes string) string {
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil || n == 0 {
		return bytes
	}
	for _, unit := range []struct {
		shift uint
		name  string
	}{{30, "gb"}, {20, "mb"}, {10, "kb"}} {
		if n%(1<<unit.shift) == 0 {
			return strconv.FormatUint(n>>unit.shift, 10) + unit.name
		}
	}
	return bytes
}
