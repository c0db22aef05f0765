package compat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// classify says what became of the payloads that a library's user was handed,
// given those that the server sent, in one of several ways: nodes may see a move
// in other steps. What was sent is the text of :json or of :moved.
func classify(got []any, sent [][]string, channel string, untyped bool) class {
	if len(got) == 0 {
		return nothing
	}
	for _, want := range sent {
		if len(got) != len(want) {
			continue
		}
		switch {
		case all(got, want, func(got any, want string) bool { return got == any(want) }):
			if strings.HasSuffix(channel, ":moved") {
				return asText
			}
			return asJSON
		case all(got, want, func(got any, want string) bool { return isNested(got, want, untyped) }):
			if strings.Contains(channel, ":snapshot") {
				return asMap
			}
			return asRow
		}
	}
	switch first := got[0].(type) {
	case string:
		switch {
		case first == "":
			return empty
		case strings.HasPrefix(first, "5461,5461,") || strings.HasPrefix(first, "0,5460,"):
			return joined
		}
	}
	return other
}

func all(got []any, want []string, same func(got any, want string) bool) bool {
	for i := range got {
		if !same(got[i], want[i]) {
			return false
		}
	}
	return true
}

// isNested reports whether a payload is the nested form of what stands in a
// text as JSON.
func isNested(payload any, text string, untyped bool) bool {
	var want any
	if json.Unmarshal([]byte(text), &want) != nil {
		return false
	}
	_, is := payload.([]any)
	return is && same(payload, want, untyped)
}

// same compares what a user was handed with what was sent. Libraries differ in
// what they make of a map, and untyped ones give numbers as text.
func same(got, want any, untyped bool) bool {
	switch want := want.(type) {
	case []any:
		list, is := got.([]any)
		if !is || len(list) != len(want) {
			return false
		}
		for i := range list {
			if !same(list[i], want[i], untyped) {
				return false
			}
		}
		return true
	case map[string]any:
		pairs, is := asPairs(got)
		if !is || len(pairs) != len(want) {
			return false
		}
		for name, value := range want {
			if found, is := pairs[name]; !is || !same(found, value, untyped) {
				return false
			}
		}
		return true
	case float64:
		if untyped {
			return got == any(fmt.Sprint(int(want)))
		}
		return got == any(want)
	}
	return got == want
}

// asPairs reads a map, a list of names and values in turn, or a list of pairs.
func asPairs(v any) (map[string]any, bool) {
	if m, is := v.(map[string]any); is {
		return m, true
	}
	list, is := v.([]any)
	if !is {
		return nil, false
	}
	var flat []any
	for _, element := range list {
		if pair, is := element.([]any); is && len(pair) == 2 {
			flat = append(flat, pair...)
		} else {
			flat = append(flat, element)
		}
	}
	pairs := map[string]any{}
	for ; len(flat) > 1; flat = flat[2:] {
		name, is := flat[0].(string)
		if !is {
			return nil, false
		}
		pairs[name] = flat[1]
	}
	return pairs, len(flat) == 0
}

// TestClassify: a comparison that is too kind would make cells pass.
func TestClassify(t *testing.T) {
	const row = `[5461,5461,["127.0.0.1",7002,"id",{"config-epoch":"4"}]]`
	const bare, moved, snapshot = "__cluster-slots__", "__cluster-slots__:moved", "__cluster-slots__:snapshot"
	for _, test := range []struct {
		want    class
		channel string
		got     string // a JSON array of the payloads
		sent    string
		untyped bool
	}{
		{asRow, bare, `[[5461,5461,["127.0.0.1",7002,"id",["config-epoch","4"]]]]`, row, false},
		{asRow, bare, `[[5461,5461,["127.0.0.1",7002,"id",[["config-epoch","4"]]]]]`, row, false},
		{asRow, bare, `[[5461,5461,["127.0.0.1",7002,"id",{"config-epoch":"4"}]]]`, row, false},
		{other, bare, `[["5461","5461",["127.0.0.1","7002","id",{"config-epoch":"4"}]]]`, row, false},
		{asRow, bare, `[["5461","5461",["127.0.0.1","7002","id",{"config-epoch":"4"}]]]`, row, true},
		{asMap, snapshot, `[[[5461,5461,["127.0.0.1",7002,"id",{"config-epoch":"4"}]]]]`, `[` + row + `]`, false},
		{asJSON, bare, `["[5461,5461,[\"127.0.0.1\",7002,\"id\",{\"config-epoch\":\"4\"}]]"]`, row, false},
		{asText, moved, `["MOVED 5461 127.0.0.1:7002"]`, "MOVED 5461 127.0.0.1:7002", false},
		{other, moved, `["MOVED 5461 127.0.0.1:7003"]`, "MOVED 5461 127.0.0.1:7002", false},
		{other, bare, `[[5461,5461,["127.0.0.1",7002,"id",["config-epoch","5"]]]]`, row, false},
		{other, bare, `[[5461,5461,["127.0.0.1",7002,"id",["config-epoch"]]]]`, row, false},
		{other, bare, `[[5461,5461,["127.0.0.1",7002,"id",[]]]]`, row, false},
		{other, bare, `[[5461,5461,["127.0.0.1",7002,"id"]]]`, row, false},
		{other, bare, `[[5461,5461]]`, row, false},
		{other, bare, `[{"0":5461}]`, row, false},
		{other, bare, `["id"]`, row, false},
		{other, bare, `[[5461,5461,["127.0.0.1",7002,"id",{"config-epoch":"4"}]],1]`, row, false},
		{joined, bare, `["5461,5461,127.0.0.1,7002,id,config-epoch,4"]`, row, false},
		{joined, bare, `["5461,5461,127.0.0.1,7002,id,[object Object]"]`, row, false},
		{empty, bare, `[""]`, row, false},
		{nothing, bare, `[]`, row, false},
	} {
		var got []any
		require.NoError(t, json.Unmarshal([]byte(test.got), &got))
		require.Equal(t, test.want, classify(got, [][]string{{"another"}, {test.sent}}, test.channel, test.untyped), test.got)
	}
}
