package sim

import "time"

// event is something that happens at a moment, and of those of one moment in
// the order of group and seq.
type event struct {
	at    time.Duration
	group int
	seq   uint64
	do    func()
}

func (e *event) before(o *event) bool {
	switch {
	case e.at != o.at:
		return e.at < o.at
	case e.group != o.group:
		return e.group < o.group
	}
	return e.seq < o.seq
}

// events is a heap, the earliest first. It holds the events themselves: there
// are some for each frame of a large cluster, and container/heap would want a
// pointer to each.
type events []event

func (h *events) push(e event) {
	*h = append(*h, e)
	list := *h
	i := len(list) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !list[i].before(&list[parent]) {
			break
		}
		list[i], list[parent] = list[parent], list[i]
		i = parent
	}
}

func (h *events) pop() event {
	list := *h
	first, last := list[0], len(list)-1
	list[0], list[last] = list[last], event{}
	list = list[:last]
	*h = list
	for i := 0; ; {
		least := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < last && list[child].before(&list[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		list[i], list[least] = list[least], list[i]
		i = least
	}
}
