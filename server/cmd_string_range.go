package server

import (
	"math"

	"slotcast/keyspace"
)

// tooLong reports, and answers, that a string of size bytes with more bytes
// added would be longer than proto-max-bulk-len allows.
func (cl *call) tooLong(size, more int64) bool {
	if size > math.MaxInt64-more || size+more > cl.server.config.Values().ProtoMaxBulkLen {
		cl.fail(errStringTooLong)
		return true
	}
	return false
}

func appendTo(cl *call) {
	key, data := cl.args[1], cl.args[2]
	cause := keyspace.Cause{Class: keyspace.Strings, Event: "append", Args: cl.args}
	_, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	if s == nil {
		// Made as SET makes it, so that a number is kept as one.
		cl.slot.Set(key, keyspace.NewString(data), 0, cl.now, cause)
		cl.reply.Int(int64(len(data)))
		return
	}
	size := s.Len()
	if cl.tooLong(int64(size), int64(len(data))) {
		return
	}
	cl.slot.WriteAt(key, size, data, cl.now, cause)
	cl.reply.Int(int64(size + len(data)))
}

func setrange(cl *call) {
	key, data := cl.args[1], cl.args[3]
	offset, ok := parseInt(cl.args[2])
	switch {
	case !ok:
		cl.fail(errNotInteger)
		return
	case offset < 0:
		cl.fail(errOffset)
		return
	}
	_, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	size := 0
	if s != nil {
		size = s.Len()
	}
	if len(data) == 0 {
		cl.reply.Int(int64(size))
		return
	}
	if cl.tooLong(offset, int64(len(data))) {
		return
	}
	cl.slot.WriteAt(key, int(offset), data, cl.now, keyspace.Cause{Class: keyspace.Strings, Event: "setrange", Args: cl.args})
	cl.reply.Int(max(int64(size), offset+int64(len(data))))
}

// getrange is SUBSTR too.
func getrange(cl *call) {
	start, ok1 := parseInt(cl.args[2])
	end, ok2 := parseInt(cl.args[3])
	if !ok1 || !ok2 {
		cl.fail(errNotInteger)
		return
	}
	_, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	if s == nil {
		cl.reply.Bulk(nil)
		return
	}
	var scratch [20]byte
	b := s.Bytes(scratch[:0])
	first, last, ok := clip(start, end, int64(len(b)))
	if !ok {
		cl.reply.Bulk(nil)
		return
	}
	cl.reply.Bulk(b[first : last+1])
}

// clip turns a range that may count from the end into one of places within
// size; ok is false if nothing is left of it. A range that ends before the
// beginning ends at the first place, which is Redis's reading.
func clip(start, end, size int64) (first, last int64, ok bool) {
	if start < 0 && end < 0 && start > end {
		return 0, 0, false
	}
	if start < 0 {
		start = max(0, size+start)
	}
	if end < 0 {
		end = max(0, size+end)
	}
	end = min(end, size-1)
	return start, end, start <= end
}
