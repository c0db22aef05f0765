package clusterstate

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsText shows rows as JSON, which is how the tests read them.
func rowsText(v *View, rows []Row, va Variant) string {
	return string(v.JSON(va).AppendRows(nil, rows))
}

func TestRowsOfASmallCluster(t *testing.T) {
	v := edited(NewView(testNode(0), Settings{}), func(e *Editor) {
		e.SetNode(testNode(1))
		for i, state := range []string{"good", "failed", "empty", "good"} {
			r := testReplica(9-i, 1)
			r.Failed, r.Synced = state == "failed", state != "empty"
			e.SetNode(r)
		}
		failed := testNode(1)
		failed.Failed, failed.Hostname = true, "host-1"
		e.SetNode(failed)
		for slot := range uint16(300) {
			e.SetOwner(slot, testID(1))
		}
		e.SetOwner(16383, testID(0))
		e.SetOwner(100, "")
	})
	one := fmt.Sprintf(`["127.0.0.1",7001,"%s",{"hostname":"host-1","config-epoch":"1"}]`, testID(1))
	six := fmt.Sprintf(`["127.0.0.1",7006,"%s",{}]`, testID(6))
	nine := fmt.Sprintf(`["127.0.0.1",7009,"%s",{}]`, testID(9))
	zero := fmt.Sprintf(`["127.0.0.1",7000,"%s",{"config-epoch":"0"}]`, testID(0))
	require.Equal(t,
		"[[0,99,"+one+","+six+","+nine+"],[101,299,"+one+","+six+","+nine+"],[16383,16383,"+zero+"]]",
		rowsText(v, v.Rows(), Variant{}))
}

func TestEndpoints(t *testing.T) {
	type want struct {
		null     bool
		endpoint string
		meta     string
		moved    string
	}
	both := Node{ID: testID(1), IP: "10.0.0.1", Hostname: "h", Port: 1}
	noHost := Node{ID: testID(1), IP: "10.0.0.1", Port: 1}
	noIP := Node{ID: testID(1), Hostname: "h", Port: 1}
	for _, c := range []struct {
		name string
		kind Endpoint
		mine bool
		node Node
		want want
	}{
		{"ip", EndpointIP, false, both, want{false, "10.0.0.1", "[[hostname h]]", "10.0.0.1:1"}},
		{"ip, no hostname", EndpointIP, false, noHost, want{false, "10.0.0.1", "[]", "10.0.0.1:1"}},
		{"ip, a peer's is unknown", EndpointIP, false, noIP, want{false, "?", "[[hostname h]]", "?:1"}},
		{"ip, own is unknown", EndpointIP, true, noIP, want{true, "", "[[hostname h]]", ":1"}},
		{"hostname", EndpointHostname, false, both, want{false, "h", "[[ip 10.0.0.1]]", "h:1"}},
		{"hostname, none", EndpointHostname, true, noHost, want{false, "?", "[[ip 10.0.0.1]]", "?:1"}},
		{"hostname, own ip unknown", EndpointHostname, true, noIP, want{false, "h", "[[ip ]]", "h:1"}},
		{"unknown", EndpointUnknown, false, both, want{true, "", "[[ip 10.0.0.1] [hostname h]]", ":1"}},
		{"unknown, no hostname", EndpointUnknown, false, noHost, want{true, "", "[[ip 10.0.0.1]]", ":1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := NewView(testNode(0), Settings{Endpoint: c.kind})
			if c.mine {
				v = NewView(c.node, Settings{Endpoint: c.kind})
			}
			e := v.NodeEntry(&c.node, Variant{})
			require.Equal(t, c.want, want{e.Null, e.Endpoint, fmt.Sprint(e.Meta()), string(v.appendHostPort(nil, &c.node, Variant{}))})
			require.Equal(t, 1, e.Port)
			require.Equal(t, testID(1), e.ID)
		})
	}
}

func TestPorts(t *testing.T) {
	for _, c := range []struct{ plain, tls, wantPlain, wantTLS int }{
		{6379, 6380, 6379, 6380},
		{6379, 0, 6379, 6379},
		{0, 6380, 6380, 6380},
		{0, 0, 0, 0},
	} {
		n := &Node{Port: c.plain, TLSPort: c.tls}
		require.Equal(t, c.wantPlain, n.ClientPort(Variant{}))
		require.Equal(t, c.wantTLS, n.ClientPort(Variant{TLS: true}))
	}
}

func TestJSONOfAnyHostname(t *testing.T) {
	n := testNode(0)
	n.Hostname = "a\"b\\c\x01\xff<é>"
	v := edited(NewView(n, Settings{}), func(e *Editor) { e.SetOwner(1, n.ID) })
	var back [][]any
	require.NoError(t, json.Unmarshal(v.JSON(Variant{}).AppendRows(nil, v.Rows()), &back))
	node := back[0][2].([]any)
	require.Equal(t, "a\"b\\c\x01\uFFFD<é>", node[3].(map[string]any)["hostname"])
	require.Equal(t, "[3,4]", string(v.JSON(Variant{}).AppendRow(nil, Row{Start: 3, End: 4})))
	var null [][]any
	n.IP = ""
	v = edited(NewView(n, Settings{}), func(e *Editor) { e.SetOwner(1, n.ID) })
	require.NoError(t, json.Unmarshal(v.JSON(Variant{}).AppendRows(nil, v.Rows()), &null))
	require.Nil(t, null[0][2].([]any)[0])
}
