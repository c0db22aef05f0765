package keyspace

import "math"

// never stands for "no expiry time" where times are compared.
const never = math.MaxInt64

// An expiryQueue is a binary heap of the entries with an expiry time, the
// earliest first. It is kept in chunks, so that growing it never copies much.
type expiryQueue struct {
	chunks [][]*Entry
	length int
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
)

func (q *expiryQueue) at(i int) *Entry { return q.chunks[i>>chunkBits][i&(chunkSize-1)] }

func (q *expiryQueue) place(i int, e *Entry) {
	q.chunks[i>>chunkBits][i&(chunkSize-1)] = e
	e.queued = int32(i + 1)
}

// first is the earliest entry, nil if there is none.
func (q *expiryQueue) first() *Entry {
	if q.length == 0 {
		return nil
	}
	return q.at(0)
}

func (q *expiryQueue) push(e *Entry) {
	c := q.length >> chunkBits
	if c == len(q.chunks) {
		q.chunks = append(q.chunks, nil)
	}
	q.chunks[c] = append(q.chunks[c], e)
	q.length++
	q.up(q.length-1, e)
}

func (q *expiryQueue) remove(e *Entry) {
	i := int(e.queued) - 1
	e.queued = 0
	q.length--
	last := q.at(q.length)
	c := q.length >> chunkBits
	q.chunks[c][q.length&(chunkSize-1)] = nil
	q.chunks[c] = q.chunks[c][:q.length&(chunkSize-1)]
	if len(q.chunks[c]) == 0 {
		q.chunks[c] = nil
		q.chunks = q.chunks[:c]
	}
	if last != e {
		q.fix(i, last)
	}
}

// fix puts e, whose expiry time may have changed, where it belongs, starting at i.
func (q *expiryQueue) fix(i int, e *Entry) {
	if i > 0 && e.expireAt < q.at((i-1)/2).expireAt {
		q.up(i, e)
	} else {
		q.down(i, e)
	}
}

func (q *expiryQueue) up(i int, e *Entry) {
	for i > 0 {
		parent := q.at((i - 1) / 2)
		if parent.expireAt <= e.expireAt {
			break
		}
		q.place(i, parent)
		i = (i - 1) / 2
	}
	q.place(i, e)
}

func (q *expiryQueue) down(i int, e *Entry) {
	for {
		child := 2*i + 1
		if child >= q.length {
			break
		}
		if child+1 < q.length && q.at(child+1).expireAt < q.at(child).expireAt {
			child++
		}
		if e.expireAt <= q.at(child).expireAt {
			break
		}
		q.place(i, q.at(child))
		i = child
	}
	q.place(i, e)
}

// setExpiry changes an entry's expiry time and its place in the queue.
func (s *Slot) setExpiry(e *Entry, at int64) {
	if at == e.expireAt {
		return
	}
	if at == 0 {
		s.unqueue(e)
		e.expireAt = 0
		return
	}
	if e.queued == 0 {
		e.expireAt = at
		s.enqueue(e)
		return
	}
	s.addExpirySum(at - e.expireAt)
	e.expireAt = at
	s.table.queue.fix(int(e.queued)-1, e)
	s.noteNextExpiry()
}

// enqueue puts an entry with an expiry time into the queue, in which it is not.
func (s *Slot) enqueue(e *Entry) {
	s.table.queue.push(e)
	s.group.expiring.Add(1)
	s.addExpirySum(e.expireAt - s.ks.started)
	s.noteNextExpiry()
}

// unqueue takes an entry out of the queue, if it is in it. The entry keeps its
// expiry time, which the effect of its deletion still shows.
func (s *Slot) unqueue(e *Entry) {
	if e.queued == 0 {
		return
	}
	s.table.queue.remove(e)
	s.group.expiring.Add(-1)
	s.addExpirySum(s.ks.started - e.expireAt)
	s.noteNextExpiry()
}

func (s *Slot) addExpirySum(n int64) {
	s.table.expirySum += n
	s.group.expirySum.Add(n)
}

// noteNextExpiry publishes the earliest expiry time for the sweep.
func (s *Slot) noteNextExpiry() {
	next := int64(never)
	if s.table != nil {
		if e := s.table.queue.first(); e != nil {
			next = e.expireAt
		}
	}
	if s.nextExpiry.Load() != next {
		s.nextExpiry.Store(next)
		s.group.lowerNextExpiry(next)
	}
}
