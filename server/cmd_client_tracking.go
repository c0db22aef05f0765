package server

import (
	"slices"
	"strings"

	"slotcast/tracking"
)

// trackingOptions are the arguments of CLIENT TRACKING.
type trackingOptions struct {
	trackingMode
	given []string // prefixes
}

// parseTracking reads what follows ON or OFF.
func parseTracking(cl *call) (o *trackingOptions, err error) {
	o = &trackingOptions{}
	args := cl.args[3:]
	for i := 0; i < len(args); i++ {
		switch more := i+1 < len(args); {
		case is(args[i], "redirect") && more:
			i++
			if o.redirect != 0 {
				return nil, errManyRedirects
			}
			id, ok := parseInt(args[i])
			if !ok {
				return nil, errNotInteger
			}
			if cl.server.conns.find(id) == nil {
				return nil, errNoRedirect
			}
			o.redirect = id
		case is(args[i], "bcast"):
			o.broadcast = true
		case is(args[i], "optin"):
			o.optIn = true
		case is(args[i], "optout"):
			o.optOut = true
		case is(args[i], "noloop"):
			o.noLoop = true
		case is(args[i], "prefix") && more:
			i++
			o.given = append(o.given, string(args[i]))
		default:
			return nil, errSyntax
		}
	}
	return o, nil
}

// check says what is wrong with turning tracking on like this, beside what was
// on before, which is nil if nothing was.
func (o *trackingOptions) check(old *trackingMode) error {
	switch {
	case !o.broadcast && len(o.given) > 0:
		return errPrefixWithoutBroadcast
	case old != nil && old.broadcast != o.broadcast:
		return errSwitchBroadcast
	case o.broadcast && (o.optIn || o.optOut):
		return errOptInBroadcast
	case o.optIn && o.optOut:
		return errOptInAndOut
	case old != nil && (o.optIn && old.optOut || o.optOut && old.optIn):
		return errSwitchOptIn
	}
	if old != nil {
		o.prefixes = old.prefixes
	}
	if found, any := tracking.FindOverlap(o.prefixes, o.given); any {
		return errPrefixOverlap(found)
	}
	return nil
}

// mode is what is on from now: prefixes add to those that there were.
func (o *trackingOptions) mode() *trackingMode {
	m := &trackingMode{broadcast: o.broadcast, optIn: o.optIn, optOut: o.optOut, noLoop: o.noLoop, redirect: o.redirect}
	if !o.broadcast {
		return m
	}
	m.prefixes = slices.Clone(o.prefixes)
	m.prefixes = append(m.prefixes, o.given...)
	if len(o.given) == 0 {
		m.prefixes = append(m.prefixes, "")
	}
	slices.Sort(m.prefixes)
	m.prefixes = slices.Compact(m.prefixes)
	return m
}

func clientTracking(cl *call) {
	c := cl.conn
	o, err := parseTracking(cl)
	switch {
	case err != nil:
	case is(cl.args[2], "off"):
		cl.server.caches.disable(c)
		if cl.exec == nil {
			c.outbox.separate() // nothing comes after the reply
		}
	case !is(cl.args[2], "on"):
		err = errSyntax
	default:
		if err = o.check(c.tracking()); err == nil {
			cl.server.caches.enable(c, o.mode())
		}
	}
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.OK()
}

// clientCaching is about the next command that is no CLIENT command, or the
// transaction that begins with it.
func clientCaching(cl *call) {
	m := cl.conn.tracking()
	switch arg := cl.args[2]; {
	case m == nil:
		cl.fail(errCaching)
	case is(arg, "yes") && !m.optIn:
		cl.fail(errCachingYes)
	case is(arg, "no") && !m.optOut:
		cl.fail(errCachingNo)
	case !is(arg, "yes") && !is(arg, "no"):
		cl.fail(errSyntax)
	default:
		cl.conn.caching = true
		cl.reply.OK()
	}
}

func clientGetRedir(cl *call) { cl.reply.Int(cl.conn.tracking().redirection()) }

// redirection is how CLIENT commands tell the connection that is redirected to.
func (m *trackingMode) redirection() int64 {
	if m == nil {
		return -1
	}
	return m.redirect
}

func clientTrackingInfo(cl *call) {
	m := cl.conn.tracking()
	flags := "off"
	var prefixes []string
	if m != nil {
		flags, prefixes = m.flags(cl.conn.caching), m.prefixes
	}
	words := strings.Fields(flags)
	r := cl.reply
	r.Map(3)
	r.BulkString("flags")
	r.Set(len(words))
	for _, word := range words {
		r.BulkString(word)
	}
	r.BulkString("redirect")
	r.Int(m.redirection())
	r.BulkString("prefixes")
	r.Strings(prefixes)
}

// flags are the words for a mode.
func (m *trackingMode) flags(caching bool) string {
	words := "on"
	add := func(yes bool, word string) {
		if yes {
			words += " " + word
		}
	}
	add(m.broadcast, "bcast")
	add(m.optIn, "optin")
	add(m.optIn && caching, "caching-yes")
	add(m.optOut, "optout")
	add(m.optOut && caching, "caching-no")
	add(m.noLoop, "noloop")
	add(m.broken.Load(), "broken_redirect")
	return words
}
