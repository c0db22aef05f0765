package server

import "strings"

// parseInt reads a decimal integer as strictly as Redis does: no plus sign, no
// leading zero, no space.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	digits, negative := b, b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	var n uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := uint64(c - '0')
		if n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	switch {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n < 1<<63:
		return int64(n), true
	}
	return 0, false
}

// is reports whether an argument is the given word, in any case.
func is(arg []byte, word string) bool {
	return len(arg) == len(word) && strings.EqualFold(string(arg), word)
}

// help is the handler of a HELP subcommand.
func help(lines []string) func(*call) {
	return func(cl *call) {
		cl.reply.Array(len(lines))
		for _, line := range lines {
			cl.reply.Status(line)
		}
	}
}
