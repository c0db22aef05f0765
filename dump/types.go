package dump

import "fmt"

// Type is the first byte of a payload: the type of the value and in which of
// several ways it is written down.
type Type byte

const (
	String           Type = 0
	List             Type = 1
	Set              Type = 2
	SortedSetText    Type = 3 // scores as text
	Hash             Type = 4
	SortedSet        Type = 5
	ModuleOld        Type = 6
	Module           Type = 7
	HashZipmap       Type = 9
	ListZiplist      Type = 10
	SetIntset        Type = 11
	SortedSetZiplist Type = 12
	HashZiplist      Type = 13
	ListQuicklist    Type = 14
	Stream           Type = 15
	HashListpack     Type = 16
	SortedSetPack    Type = 17
	ListQuicklist2   Type = 18
	Stream2          Type = 19
	SetListpack      Type = 20
	Stream3          Type = 21
)

// kinds are the names that TYPE answers for what a payload of each type holds.
var kinds = map[Type]string{
	String: "string",
	List:   "list", ListZiplist: "list", ListQuicklist: "list", ListQuicklist2: "list",
	Set: "set", SetIntset: "set", SetListpack: "set",
	SortedSetText: "zset", SortedSet: "zset", SortedSetZiplist: "zset", SortedSetPack: "zset",
	Hash: "hash", HashZipmap: "hash", HashZiplist: "hash", HashListpack: "hash",
	Stream: "stream", Stream2: "stream", Stream3: "stream",
	Module: "module", ModuleOld: "module",
}

// UnsupportedError is a value of a type that Redis has and this node does not
// hold.
type UnsupportedError struct{ Type Type }

// Error begins as ErrFormat does, by which tools know a payload that cannot be
// restored here.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%v: a %s, and this node holds strings alone", ErrFormat, kinds[e.Type])
}
