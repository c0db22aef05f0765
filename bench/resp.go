//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// appendCommand encodes a command as an array of bulk strings.
func appendCommand(b []byte, args ...string) []byte {
	b = append(b, '*')
	b = strconv.AppendInt(b, int64(len(args)), 10)
	b = append(b, "\r\n"...)
	for _, a := range args {
		b = appendBulk(b, a)
	}
	return b
}

func appendBulk(b []byte, s string) []byte {
	b = append(b, '$')
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, "\r\n"...)
	b = append(b, s...)
	return append(b, "\r\n"...)
}

var errNotRESP = errors.New("not a RESP reply")

// replyLen is the length of the first whole reply or push in b, zero when it
// is not whole yet.
func replyLen(b []byte) (int, error) {
	at := 0
	for pending := 1; pending > 0; pending-- {
		kind, n, next, err := head(b, at)
		if err != nil || next == 0 {
			return 0, err
		}
		at = next
		switch kind {
		case '$', '=', '!':
			if n >= 0 {
				if at += n + 2; at > len(b) {
					return 0, nil
				}
			}
		case '*', '~', '>':
			pending += max(n, 0)
		case '%':
			pending += 2 * max(n, 0)
		case '|': // attributes precede the reply they belong to
			pending += 2*max(n, 0) + 1
		}
	}
	return at, nil
}

// maxLength bounds the lengths that head accepts, against overflow.
const maxLength = 1 << 30

// head reads the line that opens a value at b[at:]: its type, the length or
// count for the types that have one, and where the line ends (zero when it is
// not whole).
func head(b []byte, at int) (kind byte, n, next int, err error) {
	eol := bytes.IndexByte(b[min(at, len(b)):], '\n')
	if eol < 0 {
		return 0, 0, 0, nil
	}
	if eol < 2 || b[at+eol-1] != '\r' {
		return 0, 0, 0, fmt.Errorf("%w: %.40q", errNotRESP, b[at:])
	}
	kind = b[at]
	switch kind {
	case '+', '-', ':', ',', '#', '_', '(':
		return kind, 0, at + eol + 1, nil
	case '$', '=', '!', '*', '~', '>', '%', '|':
		n, err := strconv.Atoi(string(b[at+1 : at+eol-1]))
		if err != nil || n < -1 || n > maxLength {
			return 0, 0, 0, fmt.Errorf("%w: length in %.40q", errNotRESP, b[at:])
		}
		return kind, n, at + eol + 1, nil
	}
	return 0, 0, 0, fmt.Errorf("%w: %.40q", errNotRESP, b[at:])
}

// replyError is the error that a reply is, nil for any other reply.
func replyError(reply []byte) error {
	if len(reply) > 0 && reply[0] == '-' {
		return fmt.Errorf("the server answered %q", bytes.TrimRight(reply[1:], "\r\n"))
	}
	return nil
}
