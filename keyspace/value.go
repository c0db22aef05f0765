package keyspace

// Kind is the data type of a value.
type Kind uint8

const (
	StringKind Kind = iota
	ListKind
	SetKind
	SortedSetKind
	HashKind
	StreamKind
)

// String is the name that TYPE answers.
func (k Kind) String() string {
	return [...]string{"string", "list", "set", "zset", "hash", "stream"}[k]
}

// Value is what a key holds. Values are read under the lock of the slot, or
// anywhere once shared; only methods of Slot change them.
type Value interface {
	Kind() Kind
	// Encoding is the name that OBJECT ENCODING answers.
	Encoding() string
	// Size estimates the bytes that the value holds in memory.
	Size() int64
	// share marks the value as held by someone else: from now on a change
	// makes a copy first. Called under the lock of the slot.
	share()
}
