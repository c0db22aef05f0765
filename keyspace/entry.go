package keyspace

// Entry is one key. Its fields change only through the methods of its Slot, so
// that no change goes by without an effect.
type Entry struct {
	next     *Entry // in the bucket, ascending by hash and key
	hash     uint64
	key      string
	value    Value
	expireAt int64 // Unix milliseconds, 0 for never
	version  uint64
	access   uint32 // Unix seconds of the last access
	queued   int32  // place in the slot's expiry queue plus one, 0 if not in it
	busy     bool   // on its way to another node, see MarkBusy
}

// Key is the key's name.
func (e *Entry) Key() string { return e.key }

// Value is the key's value, good until the slot's lock is let go. Use Share for
// longer.
func (e *Entry) Value() Value { return e.value }

// Share returns the value as it is now, for a holder that keeps it beyond the
// slot's lock: a copy of the slot, a value on its way to another node, the
// second key of a COPY. What has been shared never changes again, later writes
// to the key make a value of their own.
func (e *Entry) Share() Value {
	e.value.share()
	return e.value
}

// ExpireAt is the expiry time in Unix milliseconds, 0 for a key without one.
func (e *Entry) ExpireAt() int64 { return e.expireAt }

// Expired tells whether the key is past its expiry time. The millisecond named
// by the expiry time still belongs to the key, as in Redis.
func (e *Entry) Expired(now int64) bool { return e.expireAt != 0 && now > e.expireAt }

// Version rises with every effect in the slot and is never used twice, not even
// after the key was deleted and made again.
func (e *Entry) Version() uint64 { return e.version }

// IdleSeconds is the time since the last access, for OBJECT IDLETIME.
func (e *Entry) IdleSeconds(now int64) int64 {
	return max(0, now/1000-int64(e.access))
}

func (e *Entry) touch(now int64) { e.access = uint32(now / 1000) }

// entryOverhead is what an entry costs beside its name and value: the struct in
// its size class, and its place in a bucket array.
const entryOverhead = 80 + 8

// Size estimates the bytes that the key holds in memory, name and value included.
func (e *Entry) Size() int64 {
	return entryOverhead + int64(len(e.key)) + e.value.Size()
}
