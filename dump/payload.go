// Package dump reads and writes the payload in which Redis nodes hand each other
// single values: what DUMP answers, RESTORE takes and MIGRATE sends.
//
// A payload is a type byte, the value in the encoding of an RDB file, and a
// footer with the version of that encoding and a checksum. The package promises
// that redis-server 7.0 and everything later accepts what it writes, that it
// reads what Redis 7.2 and Valkey 8 write, and that a payload, whoever made it
// up, neither panics nor makes it allocate more than a fixed multiple of its
// length (see expand).
//
// It knows bytes alone: no keyspace, no clock, no I/O. All functions may be
// called at once by several goroutines.
package dump

import (
	"encoding/binary"
	"errors"
	"hash/crc64"
)

const (
	// version is that of Redis 7.0. Later servers read it, earlier ones refuse
	// whatever is newer than themselves.
	version = 10
	// newest is the version of Redis 7.2 and Valkey 8. It brought further types
	// and changed none of those before.
	newest = 11

	footerSize = 2 + 8
)

var (
	// ErrFooter is a payload that was damaged, or written by a newer server.
	ErrFooter = errors.New("DUMP payload version or checksum are wrong")
	// ErrFormat is a payload with a good footer and contents that make no sense.
	ErrFormat = errors.New("Bad data format")
	// ErrNotLibrary and ErrLibrary are the same for the payload of FUNCTION DUMP:
	// something else than a library, or one that ends too soon.
	ErrNotLibrary = errors.New("given type is not a function")
	ErrLibrary    = errors.New("Failed loading library payload")
)

// jones is the polynomial of Redis's CRC-64, reflected. It is none of those
// that hash/crc64 names.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// checksum is a CRC that starts from zero and is not inverted at its end.
// hash/crc64 does both, which the two complements undo.
func checksum(b []byte) uint64 { return ^crc64.Update(^uint64(0), jones, b) }

// Seal appends the footer to a payload that lacks only that. Sealed by itself,
// it is what FUNCTION DUMP answers where no function is loaded.
func Seal(payload []byte) []byte { return seal(payload, 0) }

// seal is Seal for the payload that begins at start.
func seal(b []byte, start int) []byte {
	b = binary.LittleEndian.AppendUint16(b, version)
	return binary.LittleEndian.AppendUint64(b, checksum(b[start:]))
}

// Open checks the footer and returns what stands before it, which still belongs
// to the payload. The error is ErrFooter.
func Open(payload []byte) (body []byte, err error) {
	n := len(payload) - footerSize
	if n < 0 || binary.LittleEndian.Uint16(payload[n:]) > newest ||
		binary.LittleEndian.Uint64(payload[n+2:]) != checksum(payload[:n+2]) {
		return nil, ErrFooter
	}
	return payload[:n], nil
}
