package server

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"

	"slotcast/keyspace"
)

// digest is Redis's hash of data: parts whose order matters are mixed in,
// parts without an order are added.
type digest [sha1.Size]byte

func (d *digest) add(b []byte) {
	sum := sha1.Sum(b)
	for i := range d {
		d[i] ^= sum[i]
	}
}

func (d *digest) mix(b []byte) {
	d.add(b)
	*d = sha1.Sum(d[:])
}

func (d *digest) mixInt(n uint32) { d.mix(binary.BigEndian.AppendUint32(nil, n)) }

func (d *digest) value(e *keyspace.Entry) {
	d.mixInt(uint32(e.Value().Kind()))
	if s, ok := e.Value().(*keyspace.String); ok {
		var scratch [20]byte
		d.mix(s.Bytes(scratch[:0]))
	}
	if e.ExpireAt() != 0 {
		d.add([]byte("!!expire!!"))
	}
}

func (d *digest) String() string { return hex.EncodeToString(d[:]) }

// debugDigest looks at one slot after the other; while others write, it is the
// hash of no single moment.
func debugDigest(cl *call) {
	var all digest
	if cl.server.keys.Len() > 0 {
		all.mixInt(0) // the number of the one database
	}
	for n, ok := cl.server.keys.NextSlot(0); ok; n, ok = cl.server.keys.NextSlot(int(n) + 1) {
		cl.withSlot(n, func(s *keyspace.Slot) {
			s.Walk(func(e *keyspace.Entry) bool {
				var d digest
				d.mix([]byte(e.Key()))
				d.value(e)
				all.add(d[:])
				return true
			})
		})
	}
	cl.reply.Status(all.String())
}

func debugDigestValue(cl *call) {
	cl.reply.Array(len(cl.args) - 2)
	for _, key := range cl.args[2:] {
		var d digest
		cl.withKey(key, func(e *keyspace.Entry) {
			if e != nil {
				d.value(e)
			}
		})
		cl.reply.Status(d.String())
	}
}
