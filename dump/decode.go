package dump

// Value is what a payload holds.
type Value struct {
	Type Type
	// Text is the value of a String.
	Text []byte
	// Owned tells that Text is memory of its own; else it is part of the payload.
	Owned bool
}

// Decode reads the value of a payload whose footer Open has taken off. It wants
// nothing to be left over. limit is the greatest length of a string; one that
// is sent plain has been allowed in already, so it matters for those that were
// compressed. The error is ErrFormat, or an *UnsupportedError.
func Decode(body []byte, limit int64) (Value, error) {
	if len(body) == 0 {
		return Value{}, ErrFormat
	}
	v := Value{Type: Type(body[0])}
	if _, known := kinds[v.Type]; !known {
		return Value{}, ErrFormat
	}
	if v.Type != String {
		return Value{}, &UnsupportedError{v.Type}
	}
	r := reader{rest: body[1:], limit: limit}
	v.Text, v.Owned = r.text()
	if r.failed || len(r.rest) > 0 {
		return Value{}, ErrFormat
	}
	return v, nil
}

// library marks the source of one function library in FUNCTION DUMP's payload.
const library = 0xf5

// Libraries reads the sources of the function libraries in the payload of
// FUNCTION DUMP, whose footer Open has taken off; none is what a server without
// functions sends. The error, ErrNotLibrary or ErrLibrary, is about what follows
// the libraries that it returns.
func Libraries(body []byte, limit int64) (sources [][]byte, err error) {
	r := reader{rest: body, limit: limit}
	for len(r.rest) > 0 {
		if r.byte() != library {
			return sources, ErrNotLibrary
		}
		source, _ := r.text()
		if r.failed {
			return sources, ErrLibrary
		}
		sources = append(sources, source)
	}
	return sources, nil
}
