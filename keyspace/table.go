package keyspace

// A table is an array of 2^n buckets, indexed by the top n bits of the hash, so
// walking the buckets walks the keys in the order of their hashes, whatever n
// is. That order makes both SCAN and resizing simple: a place in the walk is a
// hash, and while a table moves to an array of another size everything below
// one watermark is in the new array and everything else in the old one.
//
// Arrays are made of pages that are created when first used, because one
// allocation for the buckets of a million keys would be the pause that moving
// in small steps avoids.
type table struct {
	buckets buckets

	// While moving, old buckets from moved on still hold their entries.
	old    buckets
	moved  uint64
	moving bool

	length int
	busy   int   // entries that are
	bytes  int64 // Size of all entries

	queue     expiryQueue
	expirySum int64 // of the queue's expiry times, relative to the start
}

type buckets struct {
	bits  uint8
	pages [][]*Entry
}

const (
	pageBits = 9 // 512 buckets: 4 KiB
	pageMask = 1<<pageBits - 1

	// maxBits keeps every bucket boundary on a position of SCAN's cursor.
	maxBits = positionBits

	// shrinkFactor is how many buckets per key are too many. Shrinking aims at
	// two buckets per key, far from both limits, so a table does not swing.
	shrinkFactor = 8

	// An insertion or deletion moves buckets until it has seen this many
	// entries or buckets. A growing table is done with its move after an
	// eighth of the insertions that make it grow again, a shrinking one earlier.
	moveEntries = 8
	moveBuckets = 64
)

func newTable() *table { return &table{buckets: newBuckets(0)} }

func newBuckets(bits uint8) buckets {
	pages := 1
	if bits > pageBits {
		pages = 1 << (bits - pageBits)
	}
	return buckets{bits: bits, pages: make([][]*Entry, pages)}
}

func (b *buckets) index(hash uint64) uint64 { return hash >> (64 - b.bits) }

// last is the greatest hash that belongs to bucket i.
func (b *buckets) last(i uint64) uint64 { return (i+1)<<(64-b.bits) - 1 }

func (b *buckets) head(i uint64) *Entry {
	page := b.pages[i>>pageBits]
	if page == nil {
		return nil
	}
	return page[i&pageMask]
}

// link returns where the head of bucket i is kept.
func (b *buckets) link(i uint64) **Entry {
	page := b.pages[i>>pageBits]
	if page == nil {
		page = make([]*Entry, 1<<min(b.bits, pageBits))
		b.pages[i>>pageBits] = page
	}
	return &page[i&pageMask]
}

func (t *table) find(hash uint64, key []byte) *Entry {
	var e *Entry
	if i := t.old.index(hash); t.moving && i >= t.moved {
		e = t.old.head(i)
	} else {
		e = t.buckets.head(t.buckets.index(hash))
	}
	for ; e != nil && e.hash <= hash; e = e.next {
		if e.hash == hash && e.key == string(key) {
			return e
		}
	}
	return nil
}

func (t *table) link(hash uint64) **Entry {
	if i := t.old.index(hash); t.moving && i >= t.moved {
		return t.old.link(i)
	}
	return t.buckets.link(t.buckets.index(hash))
}

// insert adds an entry whose key is not in the table. Chains are kept in order,
// which makes every walk independent of the table's history.
func (t *table) insert(e *Entry) {
	p := t.link(e.hash)
	for *p != nil && ((*p).hash < e.hash || (*p).hash == e.hash && (*p).key < e.key) {
		p = &(*p).next
	}
	e.next, *p = *p, e
	t.length++
}

// remove takes out an entry that is in the table.
func (t *table) remove(e *Entry) {
	p := t.link(e.hash)
	for *p != e {
		p = &(*p).next
	}
	*p, e.next = e.next, nil
	t.length--
	if e.busy {
		e.busy = false
		t.busy--
	}
}

// resize begins a move if the table has become too full or too empty, and does
// the operation's share of a move in progress. It is called after each insertion
// and deletion, and returns the work done.
func (t *table) resize() (entries, emptied int) {
	if !t.moving {
		bits := t.buckets.bits
		switch {
		case t.length > 1<<bits && bits < maxBits:
			t.startMove(bits + 1)
		case t.length*shrinkFactor < 1<<bits:
			for bits > 0 && 1<<bits > t.length*2 {
				bits--
			}
			t.startMove(bits)
		default:
			return 0, 0
		}
	}
	end := uint64(1) << t.old.bits
	for entries < moveEntries && emptied < moveBuckets && t.moved < end {
		entries += t.moveBucket()
		emptied++
	}
	if t.moved == end {
		t.old, t.moved, t.moving = buckets{}, 0, false
	}
	return entries, emptied
}

func (t *table) startMove(bits uint8) {
	t.old, t.buckets = t.buckets, newBuckets(bits)
	t.moved, t.moving = 0, true
}

// moveBucket moves the bucket at the watermark. Its entries follow everything
// that is already in the new array, so they go to the ends of its chains.
func (t *table) moveBucket() (entries int) {
	i := t.moved
	t.moved++
	var end **Entry
	var at uint64
	for e := t.old.head(i); e != nil; entries++ {
		if j := t.buckets.index(e.hash); end == nil || j != at {
			at, end = j, t.buckets.link(j)
			for *end != nil {
				end = &(*end).next
			}
		}
		next := e.next
		e.next, *end = nil, e
		end = &e.next
		e = next
	}
	// What is behind the watermark must not keep deleted entries alive.
	if page := t.old.pages[i>>pageBits]; page != nil {
		page[i&pageMask] = nil
	}
	if t.moved&pageMask == 0 {
		t.old.pages[i>>pageBits] = nil
	}
	return entries
}

// region returns the chain that hash belongs to, and the greatest hash up to
// which there is nothing else: the end of the bucket, of a page without
// entries, or the watermark.
func (t *table) region(hash uint64) (chain *Entry, last uint64) {
	b, limit := &t.buckets, ^uint64(0)
	if t.moving {
		if t.old.index(hash) >= t.moved {
			b = &t.old
		} else {
			limit = t.old.last(t.moved - 1)
		}
	}
	i := b.index(hash)
	if b.pages[i>>pageBits] == nil {
		inPage := uint64(1)<<min(b.bits, pageBits) - 1
		return nil, min(b.last(i|inPage), limit)
	}
	return b.head(i), min(b.last(i), limit)
}
