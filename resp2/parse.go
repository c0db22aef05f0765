package resp2

import (
	"fmt"

	"github.com/tidwall/redcon"

	"slotcast/splitargs"
)

// Parse returns the arguments of one request, appended to args[:0]; none for a
// request that Redis swallows. frame is what Framer.Next delimited, and nothing
// else: redcon's reader, used here, trusts the lengths in it.
//
// The arguments of an array request alias frame. Those of an inline request
// are copies, since quotes and escapes change them.
//
// The only fault that a frame can still have is an inline request with
// unbalanced quotes, a ProtocolError.
func Parse(frame []byte, args [][]byte) ([][]byte, error) {
	args = args[:0]
	if len(frame) == 0 {
		return args, nil
	}
	// redcon must see arrays only: it takes a line that begins with '$' as a
	// protocol of its own, and splits inline commands by other rules.
	if frame[0] != '*' {
		return parseInline(frame, args)
	}
	// For redcon a negative count is an error.
	if len(frame) > 1 && (frame[1] == '-' || frame[1] == '0') {
		return args, nil
	}
	complete, parsed, _, rest, err := redcon.ReadNextCommand(frame, args)
	if err != nil || !complete || len(rest) > 0 {
		return args, fmt.Errorf("expected one whole request, got %d bytes with %d left over (complete: %t): %w",
			len(frame), len(rest), complete, errMultibulkLength)
	}
	return parsed, nil
}

func parseInline(line []byte, args [][]byte) ([][]byte, error) {
	words, err := SplitArgs(line)
	return append(args, words...), err
}

// SplitArgs splits an inline request as package splitargs does; open or
// misplaced quotes are a ProtocolError.
func SplitArgs(line []byte) ([][]byte, error) {
	words, ok := splitargs.Split(line)
	if !ok {
		return nil, errUnbalancedQuotes
	}
	return words, nil
}
