package tracking

// Readers are those who have read one key, each once. Most keys have a single
// one, which needs no set.
type Readers[R comparable] struct {
	first R
	more  map[R]struct{}
}

// Len counts them.
func (rs *Readers[R]) Len() int { return 1 + len(rs.more) }

// All yields each of them, in no particular order.
func (rs *Readers[R]) All(yield func(R) bool) {
	if !yield(rs.first) {
		return
	}
	for r := range rs.more {
		if !yield(r) {
			return
		}
	}
}

// add reports whether the reader is new.
func (rs *Readers[R]) add(r R) bool {
	if rs.first == r {
		return false
	}
	if _, known := rs.more[r]; known {
		return false
	}
	if rs.more == nil {
		rs.more = make(map[R]struct{})
	}
	rs.more[r] = struct{}{}
	return true
}

// sweep removes those who have gone and reports how many, and whether anybody
// is left.
func (rs *Readers[R]) sweep(gone func(R) bool) (removed int, left bool) {
	for r := range rs.more {
		if gone(r) {
			delete(rs.more, r)
			removed++
		}
	}
	if !gone(rs.first) {
		return removed, true
	}
	removed++
	for r := range rs.more {
		rs.first = r
		delete(rs.more, r)
		return removed, true
	}
	return removed, false
}
