package clusterstate

import (
	"encoding/json"
	"strconv"
)

// JSON writes rows of one view as JSON text, with the primary's config epoch in
// its metadata, as pushes and snapshots have it:
//
//	[5461,5461,["127.0.0.1",30002,"<id>",{"hostname":"h","config-epoch":"12"}],…]
//
// and [5461,5461] for slots that belong to nobody. What all rows of a shard have
// in common is made once.
type JSON struct {
	view   *View
	va     Variant
	shards map[*Node][]byte // what follows the slots, by primary
}

// JSON returns what writes rows of the view for clients of the variant.
func (v *View) JSON(va Variant) *JSON {
	return &JSON{view: v, va: va, shards: make(map[*Node][]byte)}
}

// AppendRow appends one row.
func (j *JSON) AppendRow(b []byte, row Row) []byte {
	b = append(b, '[')
	b = strconv.AppendUint(b, uint64(row.Start), 10)
	b = append(b, ',')
	b = strconv.AppendUint(b, uint64(row.End), 10)
	if row.Primary != nil {
		b = append(b, j.shard(row)...)
	}
	return append(b, ']')
}

// AppendRows appends a snapshot: the array of all rows.
func (j *JSON) AppendRows(b []byte, rows []Row) []byte {
	b = append(b, '[')
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = j.AppendRow(b, row)
	}
	return append(b, ']')
}

func (j *JSON) shard(row Row) []byte {
	text, made := j.shards[row.Primary]
	if !made {
		e := j.view.NodeEntry(row.Primary, j.va)
		text = appendEntryJSON(nil, &e, row.Primary.ConfigEpoch, true)
		for _, r := range row.Replicas {
			e := j.view.NodeEntry(r, j.va)
			text = appendEntryJSON(text, &e, 0, false)
		}
		j.shards[row.Primary] = text
	}
	return text
}

func appendEntryJSON(b []byte, e *Entry, epoch uint64, primary bool) []byte {
	b = append(b, ',', '[')
	if e.Null {
		b = append(b, "null"...)
	} else {
		b = appendStringJSON(b, e.Endpoint)
	}
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(e.Port), 10)
	b = append(b, ',')
	b = appendStringJSON(b, string(e.ID))
	b = append(b, ',', '{')
	for i, pair := range e.Meta() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendStringJSON(b, pair[0])
		b = append(b, ':')
		b = appendStringJSON(b, pair[1])
	}
	if primary {
		if e.pairs > 0 {
			b = append(b, ',')
		}
		b = append(b, `"`+MetaConfigEpoch+`":"`...)
		b = strconv.AppendUint(b, epoch, 10)
		b = append(b, '"')
	}
	return append(b, '}', ']')
}

// appendStringJSON appends a JSON string. Nearly all texts here are plain; the
// rest (a peer may announce any bytes as its hostname) goes the slow way.
func appendStringJSON(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string has a JSON form
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
