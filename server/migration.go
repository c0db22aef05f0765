package server

import (
	"errors"
	"strconv"
	"time"

	"slotcast/resp2"
)

// errOddReply is a target that answers RESTORE with neither a status nor an
// error. What it did with the key is anybody's guess, so the key stays.
var errOddReply = errors.New("neither a status nor an error")

// send gives the keys to the target and notes which of them it acknowledges. The
// connection may be one that the target has closed meanwhile: if it broke before
// anything was answered, all is sent again, once, over a new one.
func (m *migration) send(all *targets) error {
	mayRepeat, err := m.sendOnce(all)
	if mayRepeat {
		_, err = m.sendOnce(all)
	}
	return err
}

// sendOnce also tells whether a second attempt is worthwhile, and safe.
func (m *migration) sendOnce(all *targets) (mayRepeat bool, err error) {
	tg, err := all.get(m.to, m.timeout)
	if err != nil {
		return err == errTargetWrite, err
	}
	selects := tg.db != m.db
	if err := tg.write(m.request(selects), m.timeout); err != nil {
		all.discard(tg)
		return err != errTargetTimeout, errTargetWrite
	}
	refusal, answered, err := m.readReplies(tg, selects)
	switch {
	case err != nil:
		all.discard(tg)
		if refusal == "" {
			return answered == 0 && err != errTargetTimeout, errTargetRead
		}
	case refusal != "":
		tg.db = -1 // perhaps it was the database that it did not like
		all.put(tg)
	default:
		tg.db = m.db
		all.put(tg)
	}
	if refusal != "" {
		return false, errFromTarget(refusal)
	}
	return false, nil
}

// request is what the target is sent, in one piece. How long a key still lives
// is as of now; one whose time has passed is not sent.
func (m *migration) request(selects bool) []byte {
	var b []byte
	command := func(words ...string) {
		b = resp2.AppendArray(b, len(words))
		for _, w := range words {
			b = resp2.AppendBulkString(b, w)
		}
	}
	if m.auth != nil {
		command(append([]string{"AUTH"}, m.auth...)...)
	}
	if selects {
		command("SELECT", strconv.FormatInt(m.db, 10))
	}
	now := time.Now().UnixMilli()
	var payload []byte
	for i := range m.keys {
		k := &m.keys[i]
		ttl := int64(0)
		if k.expireAt != 0 {
			if k.skipped = k.expireAt < now; k.skipped {
				continue
			}
			ttl = max(1, k.expireAt-now)
		}
		payload = appendPayload(payload[:0], k.value)
		parts := 4
		if m.replace {
			parts++
		}
		b = resp2.AppendArray(b, parts)
		b = resp2.AppendBulkString(b, "RESTORE-ASKING")
		b = resp2.AppendBulk(b, k.name)
		b = resp2.AppendBulkString(b, strconv.FormatInt(ttl, 10))
		b = resp2.AppendBulk(b, payload)
		if m.replace {
			b = resp2.AppendBulkString(b, "REPLACE")
		}
	}
	return b
}

// readReplies reads an answer for each command of the request. refusal is the
// first error among them; after one to AUTH or SELECT no key counts as
// acknowledged. answered counts the answers for keys.
func (m *migration) readReplies(tg *target, selects bool) (refusal string, answered int, err error) {
	note := func(line []byte) {
		if refusal == "" && len(line) > 0 && line[0] == '-' {
			refusal = string(line[1:])
		}
	}
	for range m.preludes(selects) {
		line, err := tg.readLine(m.timeout)
		if err != nil {
			return refusal, 0, err
		}
		note(line)
	}
	welcome := refusal == ""
	for i := range m.keys {
		k := &m.keys[i]
		if k.skipped {
			continue
		}
		line, err := tg.readLine(m.timeout)
		if err != nil {
			return refusal, answered, err
		}
		answered++
		switch {
		case len(line) > 0 && line[0] == '-':
			note(line)
		case len(line) > 0 && line[0] == '+':
			k.acknowledged = welcome
		default:
			return refusal, answered, errOddReply
		}
	}
	return refusal, answered, nil
}

// preludes counts the commands before those with keys.
func (m *migration) preludes(selects bool) int {
	n := 0
	if m.auth != nil {
		n++
	}
	if selects {
		n++
	}
	return n
}
