package server

import "slotcast/keyspace"

func bitmapCommands() []command {
	return []command{
		{name: "setbit", arity: 4, flags: write | denyOOM, categories: catBitmap, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "bitmap", since: "2.2.0", handler: setbit},
		{name: "getbit", arity: 3, flags: readonly | fast, categories: catBitmap, keys: oneKey(keyRO | keyAccess), group: "bitmap", since: "2.2.0", handler: getbit},
		{name: "bitcount", arity: -2, flags: readonly, categories: catBitmap, keys: oneKey(keyRO | keyAccess), group: "bitmap", since: "2.6.0", handler: bitcount},
		{name: "bitpos", arity: -3, flags: readonly, categories: catBitmap, keys: oneKey(keyRO | keyAccess), group: "bitmap", since: "2.8.7", handler: bitpos},
		{name: "bitop", arity: -4, flags: write | denyOOM, categories: catBitmap, keys: append(keyRange(keyOW|keyUpdate, 2, 2, 1), keyRange(keyRO|keyAccess, 3, -1, 1)...), group: "bitmap", since: "2.6.0", handler: bitop},
		{name: "bitfield", arity: -2, flags: write | denyOOM, categories: catBitmap, findKeys: bitfieldKeys, keys: withNotes(oneKey(keyRW|keyAccess|keyUpdate|keyVariable), "it reads fields and writes them"), group: "bitmap", since: "3.2.0", handler: bitfield},
		{name: "bitfield_ro", arity: -2, flags: readonly | fast, categories: catBitmap, keys: oneKey(keyRO | keyAccess), group: "bitmap", since: "6.0.0", handler: bitfieldRO},
	}
}

// bitOffset reads the place of a bit. With width not zero a leading # makes it
// count in fields of that many bits.
func (cl *call) bitOffset(arg []byte, width int) (offset int64, err error) {
	counted := width > 0 && len(arg) > 0 && arg[0] == '#'
	if counted {
		arg = arg[1:]
	}
	offset, ok := parseInt(arg)
	if counted {
		offset *= int64(width) // may wrap around, as it does in Redis
	}
	if !ok || offset < 0 || offset/8 >= cl.server.config.Values().ProtoMaxBulkLen {
		return 0, errBitOffset
	}
	return offset, nil
}

func setbit(cl *call) {
	key := cl.args[1]
	offset, err := cl.bitOffset(cl.args[2], 0)
	if err != nil {
		cl.fail(err)
		return
	}
	on, ok := parseInt(cl.args[3])
	if !ok || on != 0 && on != 1 {
		cl.fail(errBit)
		return
	}
	_, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	at, mask := int(offset/8), byte(0x80)>>(offset%8)
	var old byte
	grows := s == nil || at >= s.Len()
	if !grows {
		var scratch [20]byte
		old = s.Bytes(scratch[:0])[at]
	}
	data := [1]byte{old &^ mask}
	if on == 1 {
		data[0] |= mask
	}
	if grows || data[0] != old {
		cl.slot.WriteAt(key, at, data[:], cl.now, keyspace.Cause{Class: keyspace.Strings, Event: "setbit", Args: cl.args})
	}
	cl.answerBit(old&mask != 0)
}

func (cl *call) answerBit(on bool) {
	if on {
		cl.reply.Int(1)
	} else {
		cl.reply.Int(0)
	}
}

func getbit(cl *call) {
	offset, err := cl.bitOffset(cl.args[2], 0)
	if err != nil {
		cl.fail(err)
		return
	}
	_, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	on := false
	if at := int(offset / 8); s != nil && at < s.Len() {
		var scratch [20]byte
		on = s.Bytes(scratch[:0])[at]&(0x80>>(offset%8)) != 0
	}
	cl.answerBit(on)
}

// isBitUnit reads the word that says whether a range counts bits or bytes.
func isBitUnit(arg []byte) (bits, ok bool) {
	bits = is(arg, "bit")
	return bits, bits || is(arg, "byte")
}

func bitcount(cl *call) {
	_, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	if s == nil { // whatever the range is
		cl.reply.Int(0)
		return
	}
	var scratch [20]byte
	b := s.Bytes(scratch[:0])
	size := int64(len(b))
	switch len(cl.args) {
	case 2:
		cl.reply.Int(countBits(b, 0, size*8))
		return
	case 4, 5:
	default:
		cl.fail(errSyntax)
		return
	}
	start, ok1 := parseInt(cl.args[2])
	end, ok2 := parseInt(cl.args[3])
	if !ok1 || !ok2 {
		cl.fail(errNotInteger)
		return
	}
	if start < 0 && end < 0 && start > end { // before the unit is read
		cl.reply.Int(0)
		return
	}
	inBits := false
	if len(cl.args) == 5 {
		if inBits, ok = isBitUnit(cl.args[4]); !ok {
			cl.fail(errSyntax)
			return
		}
	}
	from, to, _ := clipBits(start, end, size, inBits)
	cl.reply.Int(countBits(b, from, to))
}

func bitpos(cl *call) {
	bit, ok := parseInt(cl.args[2])
	switch {
	case !ok:
		cl.fail(errNotInteger)
		return
	case bit != 0 && bit != 1:
		cl.fail(errBitArgument)
		return
	}
	_, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	if s == nil { // zeros without end, whatever the range is
		cl.reply.Int(-bit)
		return
	}
	var scratch [20]byte
	b := s.Bytes(scratch[:0])
	size := int64(len(b))
	start, end, inBits := int64(0), int64(-1), false
	if len(cl.args) > 6 {
		cl.fail(errSyntax)
		return
	}
	if len(cl.args) > 3 {
		if start, ok = parseInt(cl.args[3]); !ok {
			cl.fail(errNotInteger)
			return
		}
	}
	if len(cl.args) == 6 {
		if inBits, ok = isBitUnit(cl.args[5]); !ok {
			cl.fail(errSyntax)
			return
		}
	}
	endGiven := len(cl.args) > 4
	if endGiven {
		if end, ok = parseInt(cl.args[4]); !ok {
			cl.fail(errNotInteger)
			return
		}
	}
	from, to, ok := clipBits(start, end, size, inBits)
	pos := int64(-1)
	if ok {
		pos = findBit(b, from, to, bit == 1)
		if pos < 0 && bit == 0 && !endGiven {
			pos = to // behind the string there are zeros
		}
	}
	cl.reply.Int(pos)
}

func bitop(cl *call) {
	op, ok := bitOperation(cl.args[1])
	if !ok {
		cl.fail(errSyntax)
		return
	}
	if op == bitNot && len(cl.args) != 4 {
		cl.fail(errBitopNot)
		return
	}
	sources := make([][]byte, 0, len(cl.args)-3)
	for _, key := range cl.args[3:] {
		_, s, ok := cl.stringAt(key, 0)
		if !ok {
			return
		}
		var b []byte
		if s != nil {
			b = s.Bytes(nil)
		}
		sources = append(sources, b)
	}
	key := cl.args[2]
	result := combineBits(op, sources)
	if len(result) > 0 {
		cl.slot.Set(key, keyspace.OwnRaw(result), 0, cl.now, keyspace.Cause{Class: keyspace.Strings, Event: "set", Args: cl.args})
	} else if e := cl.lookup(key, keyspace.ForWrite); e != nil {
		cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
	}
	cl.reply.Int(int64(len(result)))
}
