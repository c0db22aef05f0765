package server

import "math"

// stringOptions are the options of SET and GETEX.
type stringOptions struct {
	nx, xx, get, keepTTL, persist bool

	unit timeUnit // noTime without an expiry
	time []byte
}

// timeUnit is how an expiry is spelled: EX, PX, EXAT or PXAT.
type timeUnit uint8

const (
	noTime timeUnit = iota
	seconds
	milliseconds
	atSeconds
	atMilliseconds
)

// optionsOf says whose options are parsed.
type optionsOf uint8

const (
	optionsOfSet optionsOf = iota
	optionsOfGetex
)

// parseStringOptions reads options in any order. Options that exclude each
// other are a syntax error, the same one given again is not, and the last time
// given counts: that is how Redis takes them.
func parseStringOptions(args [][]byte, of optionsOf) (o stringOptions, ok bool) {
	ofSet := of == optionsOfSet
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case is(arg, "nx") && ofSet && !o.xx:
			o.nx = true
		case is(arg, "xx") && ofSet && !o.nx:
			o.xx = true
		case is(arg, "get") && ofSet:
			o.get = true
		case is(arg, "keepttl") && ofSet && !o.expires():
			o.keepTTL = true
		case is(arg, "persist") && !ofSet && !o.expires():
			o.persist = true
		default:
			unit := unitOf(arg)
			if unit == noTime || len(args) == 0 || o.keepTTL || o.persist || o.expires() && o.unit != unit {
				return o, false
			}
			o.unit, o.time = unit, args[0]
			args = args[1:]
		}
	}
	return o, true
}

func unitOf(arg []byte) timeUnit {
	switch {
	case is(arg, "ex"):
		return seconds
	case is(arg, "px"):
		return milliseconds
	case is(arg, "exat"):
		return atSeconds
	case is(arg, "pxat"):
		return atMilliseconds
	}
	return noTime
}

func (o *stringOptions) expires() bool { return o.unit != noTime }

// expireAt is the expiry time in unix milliseconds. It may be in the past, but
// neither it nor what was given is below 1.
func (o *stringOptions) expireAt(cl *call) (int64, error) {
	t, ok := parseInt(o.time)
	if !ok {
		return 0, errNotInteger
	}
	inSeconds := o.unit == seconds || o.unit == atSeconds
	if t <= 0 || inSeconds && t > math.MaxInt64/1000 {
		return 0, errExpireTime(cl.cmd.fullName)
	}
	if inSeconds {
		t *= 1000
	}
	if o.unit == seconds || o.unit == milliseconds {
		if t > math.MaxInt64-cl.now {
			return 0, errExpireTime(cl.cmd.fullName)
		}
		t += cl.now
	}
	return t, nil
}
