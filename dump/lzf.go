package dump

// LZF is a stream of runs. A control byte below 32 is followed by that many
// bytes and one more, to be taken as they are. Any other one stands for a
// repetition of output: its high three bits and two more are the length (7 is
// made longer by the next byte), its low five bits and a further byte tell how
// far back it begins, less one.
const (
	literal     = 32
	repeatExtra = 2
	repeatLong  = 7

	// mostFor3 is the longest output of three bytes of input, which is the
	// best that a stream can do for each of its bytes.
	mostFor3 = repeatLong + 255 + repeatExtra
)

// expand decompresses a stream that was announced to give n bytes. Room is made
// for as many only if the stream is long enough to give them, so that it is at
// most 88 times what was sent.
func expand(from []byte, n uint64) (text []byte, ok bool) {
	if n > (uint64(len(from))+2)/3*mostFor3 {
		return nil, false
	}
	text = make([]byte, 0, n)
	for len(from) > 0 {
		control := int(from[0])
		from = from[1:]
		if control < literal {
			run := control + 1
			if run > len(from) || run > cap(text)-len(text) {
				return nil, false
			}
			text = append(text, from[:run]...)
			from = from[run:]
			continue
		}
		run := control >> 5
		if run == repeatLong {
			if len(from) == 0 {
				return nil, false
			}
			run += int(from[0])
			from = from[1:]
		}
		if len(from) == 0 {
			return nil, false
		}
		run += repeatExtra
		start := len(text) - (control&31)<<8 - int(from[0]) - 1
		from = from[1:]
		if start < 0 || run > cap(text)-len(text) {
			return nil, false
		}
		// The repetition may overlap what it writes: a distance of one fills
		// with a single byte. Each round copies what is there already.
		for run > 0 {
			part := text[start:min(start+run, len(text))]
			text = append(text, part...)
			start += len(part)
			run -= len(part)
		}
	}
	return text, uint64(len(text)) == n
}
