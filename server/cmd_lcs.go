package server

import (
	"math"

	"slotcast/keyspace"
	"slotcast/resp2"
)

func lcsCommands() []command {
	return []command{
		{name: "lcs", arity: -3, flags: readonly, categories: catString, keys: keyRange(keyRO|keyAccess, 1, 2, 1), group: "string", since: "7.0.0", handler: lcs},
	}
}

type lcsOptions struct {
	length, indexes, withLength bool
	// minLength is the least length of a run that is shown.
	minLength int64
}

func parseLCSOptions(args [][]byte) (o lcsOptions, err error) {
	for i := 0; i < len(args); i++ {
		switch {
		case is(args[i], "idx"):
			o.indexes = true
		case is(args[i], "len"):
			o.length = true
		case is(args[i], "withmatchlen"):
			o.withLength = true
		case is(args[i], "minmatchlen") && i+1 < len(args):
			i++
			var ok bool
			if o.minLength, ok = parseInt(args[i]); !ok {
				return o, errNotInteger
			}
		default:
			return o, errSyntax
		}
	}
	if o.indexes && o.length {
		return o, errLCSLenAndIdx
	}
	return o, nil
}

func lcs(cl *call) {
	var texts [2][]byte
	wrong := false
	for i := range texts {
		if e := cl.lookup(cl.args[1+i], 0); e != nil {
			s, ok := e.Value().(*keyspace.String)
			if !ok {
				wrong = true
				continue
			}
			texts[i] = s.Bytes(nil)
		}
	}
	if wrong {
		cl.fail(errLCSType)
		return
	}
	o, err := parseLCSOptions(cl.args[3:])
	if err == nil {
		err = cl.checkLCSSize(len(texts[0]), len(texts[1]))
	}
	if err != nil {
		cl.fail(err)
		return
	}
	t := newLCSTable(texts[0], texts[1], !o.length)
	switch {
	case o.indexes:
		answerLCSIndexes(cl, t, o)
	case o.length:
		cl.reply.Int(int64(t.length))
	default:
		text := make([]byte, t.length)
		end := len(text)
		t.walk(func(m lcsMatch) {
			end -= m.n
			copy(text[end:], t.a[m.a:m.a+m.n])
		})
		cl.reply.Bulk(text)
	}
}

// checkLCSSize refuses what Redis refuses, by the size of the table that Redis
// would make: four bytes a cell, with a row and a column more. The time that
// the slot is locked for is bounded by the same.
func (cl *call) checkLCSSize(a, b int) error {
	if a >= math.MaxUint32-1 || b >= math.MaxUint32-1 {
		return errLCSTooLong
	}
	cells := uint64(a+1) * uint64(b+1)
	switch {
	case cells > math.MaxUint64/4:
		return errLCSMemory
	case cells*4 > uint64(cl.server.config.Values().ProtoMaxBulkLen):
		return errLCSLimit
	}
	return nil
}

func answerLCSIndexes(cl *call, t *lcsTable, o lcsOptions) {
	r := cl.reply
	r.Map(2)
	r.BulkString("matches")
	start := len(r.buf)
	shown := 0
	t.walk(func(m lcsMatch) {
		if int64(m.n) < o.minLength {
			return
		}
		shown++
		if o.withLength {
			r.Array(3)
		} else {
			r.Array(2)
		}
		for _, at := range []int{m.a, m.b} {
			r.Array(2)
			r.Int(int64(at))
			r.Int(int64(at + m.n - 1))
		}
		if o.withLength {
			r.Int(int64(m.n))
		}
	})
	r.Insert(start, resp2.AppendArray(nil, shown))
	r.BulkString("len")
	r.Int(int64(t.length))
}
