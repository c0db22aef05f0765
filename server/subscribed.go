package server

import (
	"slices"
	"strings"

	"slotcast/channels"
)

// subscribed holds the channels, or the patterns, of one connection by their
// names. Most have one or two, and there are many who have: so these stand in
// a list, and a map is made only for those with more.
type subscribed struct {
	few  []namedSubscription
	many map[string]*channels.Subscription // instead of few, once made
}

type namedSubscription struct {
	name string
	sn   *channels.Subscription // nil while only its place is taken
}

// fewNames is how many are found as fast in a list as in a map.
const fewNames = 8

func (s *subscribed) len() int { return len(s.few) + len(s.many) }

func (s *subscribed) index(name string) int {
	return slices.IndexFunc(s.few, func(n namedSubscription) bool { return n.name == name })
}

func (s *subscribed) get(name string) (sn *channels.Subscription, has bool) {
	if s.many != nil {
		sn, has = s.many[name]
		return sn, has
	}
	if i := s.index(name); i >= 0 {
		return s.few[i].sn, true
	}
	return nil, false
}

// set puts a subscription under its name, or takes its place with nil.
func (s *subscribed) set(name string, sn *channels.Subscription) {
	if s.many != nil {
		s.many[name] = sn
		return
	}
	if i := s.index(name); i >= 0 {
		s.few[i] = namedSubscription{name, sn}
		return
	}
	if len(s.few) < fewNames {
		s.few = append(s.few, namedSubscription{name, sn})
		return
	}
	s.many = make(map[string]*channels.Subscription, 2*fewNames)
	for _, n := range s.few {
		s.many[n.name] = n.sn
	}
	s.many[name] = sn
	s.few = nil
}

func (s *subscribed) remove(name string) (sn *channels.Subscription, has bool) {
	sn, has = s.get(name)
	switch {
	case !has:
	case s.many != nil:
		delete(s.many, name)
	default:
		i := s.index(name)
		s.few = slices.Delete(s.few, i, i+1)
	}
	return sn, has
}

// names are in alphabetical order.
func (s *subscribed) names() []string {
	if s == nil {
		return nil
	}
	if s.many != nil {
		return sortedKeys(s.many)
	}
	names := make([]string, 0, len(s.few))
	for _, n := range s.few {
		names = append(names, n.name)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
