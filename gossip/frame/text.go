package frame

import (
	"bytes"

	"slotcast/clusterstate"
)

// ipLen is the room for an IP address, the NUL at its end included.
const ipLen = 46

// readID reads a node id, of which 40 zero bytes are the absence. Any other 40
// bytes are taken as they are: an id with a wrong character is a node that
// nobody knows, which is not the same as none. Its Valid is false.
func readID(b []byte) clusterstate.NodeID {
	if isZero(b[:clusterstate.NodeIDLen]) {
		return ""
	}
	return clusterstate.NodeID(b[:clusterstate.NodeIDLen])
}

func appendID(dst []byte, id clusterstate.NodeID) []byte {
	id = id[:min(len(id), clusterstate.NodeIDLen)]
	dst = append(dst, id...)
	return appendZeros(dst, clusterstate.NodeIDLen-len(id))
}

// ipText returns the part of a field of ipLen bytes that is an address, empty
// if it is not one that could be kept. What follows the NUL is of no meaning:
// Redis leaves the rest of a longer, older address there.
func ipText(b []byte) []byte {
	n := bytes.IndexByte(b[:ipLen], 0)
	if n < 0 || !plain(b[:n]) {
		return nil
	}
	return b[:n]
}

func appendIP(dst []byte, ip string) []byte {
	if len(ip) >= ipLen {
		ip = ""
	}
	dst = append(dst, ip...)
	return appendZeros(dst, ipLen-len(ip))
}

// plain tells whether a text can stand in a line of nodes.conf: printable
// ASCII without space and comma. Redis trusts its peers here; a text with a
// newline in it would let one of them write lines of its own into the file of
// every other.
func plain[T []byte | string](s T) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == ',' {
			return false
		}
	}
	return true
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// zeros is what appendZeros copies from, as long as the longest run.
var zeros [len(Bitmap{})]byte

func appendZeros(dst []byte, n int) []byte { return append(dst, zeros[:n]...) }
