package transcript

import (
	"errors"
	"fmt"
	"io"
)

// readReply takes one whole RESP2 or RESP3 reply, nested ones included, byte
// by byte from next. header is its first line without the line end; body is
// the text of a string reply. The bytes come from a server under test, so a
// length is believed only as far as bytes arrive.
func readReply(next func() (byte, error)) (header, body string, err error) {
	return readNested(next, 0)
}

const deepest = 64 // COMMAND DOCS, the deepest reply there is, stays below 10

func readNested(next func() (byte, error), depth int) (header, body string, err error) {
	if depth > deepest {
		return "", "", fmt.Errorf("a reply nested deeper than %d", deepest)
	}
	header, err = readLine(next)
	if err != nil {
		return "", "", err
	}
	if header == "" {
		return "", "", errors.New("an empty line where a reply is expected")
	}
	switch header[0] {
	case '+', '-', ':', '_', '#', ',', '(':
		return header, header[1:], nil
	case '$', '=', '!':
		n, err := atoi(header[1:])
		if err != nil || n < 0 {
			return header, "", err
		}
		var text []byte
		for range n + len("\r\n") {
			c, err := next()
			if err != nil {
				return header, "", err
			}
			text = append(text, c)
		}
		return header, string(text[:n]), nil
	case '*', '~', '>', '%', '|':
		n, err := atoi(header[1:])
		if err != nil {
			return header, "", err
		}
		if header[0] == '%' || header[0] == '|' {
			n *= 2
		}
		if header[0] == '|' {
			n++ // attributes stand before the reply they belong to
		}
		for range n {
			if _, _, err := readNested(next, depth+1); err != nil {
				return header, "", err
			}
		}
		return header, "", nil
	}
	return header, "", fmt.Errorf("%q opens no reply", header)
}

func readLine(next func() (byte, error)) (string, error) {
	var line []byte
	for {
		c, err := next()
		if err != nil {
			return "", err
		}
		line = append(line, c)
		if n := len(line); n >= 2 && line[n-2] == '\r' && line[n-1] == '\n' {
			return string(line[:n-2]), nil
		}
	}
}

// isShort reports whether a match failed because the bytes ended.
func isShort(err error) bool {
	return errors.Is(err, io.EOF)
}
