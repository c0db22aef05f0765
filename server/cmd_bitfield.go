package server

import "slotcast/keyspace"

// fieldOp is one subcommand of BITFIELD.
type fieldOp struct {
	field
	verb     fieldVerb
	value    int64
	overflow overflow
}

type fieldVerb uint8

const (
	fieldGet fieldVerb = iota
	fieldSet
	fieldIncrBy
)

func bitfield(cl *call) { runBitfield(cl, false) }

func bitfieldRO(cl *call) { runBitfield(cl, true) }

func runBitfield(cl *call, readOnly bool) {
	ops, err := cl.parseFieldOps(cl.args[2:])
	if err != nil {
		cl.fail(err)
		return
	}
	var end int64 // of the bytes to be written
	for _, op := range ops {
		if op.verb != fieldGet {
			_, e := op.span()
			end = max(end, e)
		}
	}
	switch {
	case end == 0:
		readFields(cl, ops)
	case readOnly:
		cl.fail(errBitfieldRO)
	default:
		writeFields(cl, ops, end)
	}
}

// parseFieldOps reads the subcommands. All of them are read before any runs.
func (cl *call) parseFieldOps(args [][]byte) (ops []fieldOp, err error) {
	var o overflow
	for len(args) > 0 {
		op := fieldOp{overflow: o}
		size := 4 // of the subcommand with its arguments
		switch word, left := args[0], len(args)-1; {
		case is(word, "get") && left >= 2:
			size = 3
		case is(word, "set") && left >= 3:
			op.verb = fieldSet
		case is(word, "incrby") && left >= 3:
			op.verb = fieldIncrBy
		case is(word, "overflow") && left >= 1:
			var ok bool
			if o, ok = parseOverflow(args[1]); !ok {
				return nil, errOverflowType
			}
			args = args[2:]
			continue
		default:
			return nil, errSyntax
		}
		var ok bool
		if op.field, ok = parseFieldType(args[1]); !ok {
			return nil, errBitfieldType
		}
		if op.offset, err = cl.bitOffset(args[2], op.width); err != nil {
			return nil, err
		}
		if op.verb != fieldGet {
			if op.value, ok = parseInt(args[3]); !ok {
				return nil, errNotInteger
			}
		}
		ops = append(ops, op)
		args = args[size:]
	}
	return ops, nil
}

func readFields(cl *call, ops []fieldOp) {
	_, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	var b []byte
	var scratch [20]byte
	if s != nil {
		b = s.Bytes(scratch[:0])
	}
	cl.reply.Array(len(ops))
	for _, op := range ops {
		cl.reply.Int(op.get(b))
	}
}

// writeFields makes room for all that is to be written, then goes through the
// subcommands, each of which sees what those before it wrote. The command is
// written down once, with the first change, and raises setbit once, after all.
func writeFields(cl *call, ops []fieldOp, end int64) {
	key := cl.args[1]
	e, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	cause := keyspace.Cause{Args: cl.args}
	writeAt := func(at int64, data []byte) {
		e = cl.slot.WriteAt(key, int(at), data, cl.now, cause)
		s = e.Value().(*keyspace.String)
		cause = keyspace.Cause{As: keyspace.Covered}
	}
	var scratch [20]byte
	grown := s == nil || int64(s.Len()) < end
	if grown {
		writeAt(end-1, []byte{0})
	}
	changed := false
	cl.reply.Array(len(ops))
	for _, op := range ops {
		b := s.Bytes(scratch[:0])
		old := op.get(b)
		value, fits, answer := old, true, old
		switch op.verb {
		case fieldSet:
			value, fits = op.fit(op.value, op.overflow)
		case fieldIncrBy:
			value, fits = op.add(old, op.value, op.overflow)
			answer = value
		}
		if !fits {
			cl.reply.Null()
			continue
		}
		cl.reply.Int(answer)
		if op.verb == fieldGet {
			continue
		}
		if value != old {
			first, last := op.span()
			var window [9]byte
			n := copy(window[:], b[first:last])
			op.put(window[:n], value)
			writeAt(first, window[:n])
		}
		changed = changed || grown || value != old
	}
	if changed {
		cl.slot.Notify(e, keyspace.Strings, "setbit")
	}
}
