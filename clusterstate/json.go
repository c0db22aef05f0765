package clusterstate

import (
	"encoding/json"
	"strconv"
)

// AppendJSON appends the JSON form of a pushed or snapshot row, with the
// primary's config epoch in its metadata:
//
//	[5461,5461,["127.0.0.1",30002,"<id>",{"hostname":"h","config-epoch":"12"}],…]
//
// and [5461,5461] for slots that belong to nobody. The row must be one of the
// view's.
func (v *View) AppendJSON(b []byte, row Row, va Variant) []byte {
	b = append(b, '[')
	b = strconv.AppendUint(b, uint64(row.Start), 10)
	b = append(b, ',')
	b = strconv.AppendUint(b, uint64(row.End), 10)
	if row.Primary != nil {
		e := v.NodeEntry(row.Primary, va)
		b = appendEntryJSON(b, &e, row.Primary.ConfigEpoch, true)
		for _, r := range row.Replicas {
			e := v.NodeEntry(r, va)
			b = appendEntryJSON(b, &e, 0, false)
		}
	}
	return append(b, ']')
}

// AppendRowsJSON appends a snapshot: the array of all rows.
func (v *View) AppendRowsJSON(b []byte, rows []Row, va Variant) []byte {
	b = append(b, '[')
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.AppendJSON(b, row, va)
	}
	return append(b, ']')
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
