package clusterstate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// expand writes out ids: <a> stands for forty times a.
func expand(text string) string {
	for c := 'a'; c <= 'z'; c++ {
		text = strings.ReplaceAll(text, "<"+string(c)+">", strings.Repeat(string(c), 40))
	}
	return text
}

func TestNodesConfOfEveryKindRoundTrips(t *testing.T) {
	files, err := filepath.Glob("testdata/nodesconf/*.conf")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 4)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			conf, err := ParseNodesConf(text)
			require.NoError(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(file, ".conf") + ".want")
			require.NoError(t, err)
			require.Equal(t, string(want), string(conf.Append(nil)))
			again, err := ParseNodesConf(want)
			require.NoError(t, err)
			require.Equal(t, conf, again)
		})
	}
}

func TestParsedFields(t *testing.T) {
	conf, err := ParseNodesConf([]byte(expand(
		"<a> ::1:7000@17001,h.x,tls-port=7443,nodename=n,shard-id=<s> myself,master,nofailover - 5 6 7 connected 0-5 9 [9->-<b>] [3->-<b>] [11-<-<b>]\n" +
			"\n<b> 10.0.0.1:7443@17002,,tcp-port=7001,client-ipv4=1.2.3.4 slave,fail?,noaddr <a> 0 0 7 disconnected\r\n" +
			"vars currentEpoch 3 unheard of lastVoteEpoch 2")))
	require.NoError(t, err)
	require.Equal(t, NodesConf{
		CurrentEpoch: 7, LastVoteEpoch: 2,
		Nodes: []NodeLine{{
			ID: NodeID(expand("<a>")), IP: "::1", Hostname: "h.x", Port: 7000, TLSPort: 7443, BusPort: 17001,
			ShardID: expand("<s>"), Nodename: "n", Flags: LineMyself | LinePrimary | LineNoFailover,
			PingSent: 5, PongReceived: 6, ConfigEpoch: 7, Connected: true,
			Slots:     []SlotRange{{0, 5}, {9, 9}},
			Migrating: []OpenSlot{{3, NodeID(expand("<b>"))}, {9, NodeID(expand("<b>"))}},
			Importing: []OpenSlot{{11, NodeID(expand("<b>"))}},
		}, {
			ID: NodeID(expand("<b>")), IP: "10.0.0.1", Port: 7001, TLSPort: 7443, BusPort: 17002, ClientIPv4: "1.2.3.4",
			Flags: LineReplica | LinePFail | LineNoAddr, Primary: NodeID(expand("<a>")), ConfigEpoch: 7,
		}},
	}, conf)
}

func TestClientLine(t *testing.T) {
	n := NodeLine{ID: NodeID(expand("<a>")), Port: 7000, TLSPort: 7443, BusPort: 17000, ShardID: "s", Nodename: "n"}
	require.Equal(t, expand("<a> :7000@17000 noflags - 0 0 0 disconnected"), string(n.AppendClient(nil, Variant{})))
	n.Hostname, n.Flags, n.Connected = "h", LineMyself|LinePrimary, true
	n.Migrating = []OpenSlot{{5, "x"}, {9, "x"}}
	n.Importing = []OpenSlot{{1, "y"}, {5, "y"}, {10, "y"}}
	require.Equal(t, expand("<a> :7443@17000,h myself,master - 0 0 0 connected [1-<-y] [5->-x] [9->-x] [10-<-y]"),
		string(n.AppendClient(nil, Variant{TLS: true})))
}

func TestCorruptFilesAreRefusedWithLineAndReason(t *testing.T) {
	const me = "<a> :1@2 myself,master - 0 0 0 connected"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "nodes.conf: no line is flagged myself"},
		{"nobody is myself", "<a> :1@2 master - 0 0 0 connected\n", "nodes.conf: no line is flagged myself"},
		{"two of myself", me + "\n<b> :1@2 myself,master - 0 0 0 connected\n", "nodes.conf line 2: a second line is flagged myself"},
		{"short", me + "\n\n<b> :1@2 master - 0 0 0\n", "nodes.conf line 3: expected at least 8 fields, found 7"},
		{"id", "abc :1@2 myself,master - 0 0 0 connected\n", `nodes.conf line 1: "abc" is not a node id`},
		{"same node twice", me + "\n" + me, "nodes.conf line 2: node <a> stands on two lines"},
		{"address", "<a> localhost myself,master - 0 0 0 connected", `nodes.conf line 1: expected an address ip:port@cport, found "localhost"`},
		{"port", "<a> :65536@2 myself,master - 0 0 0 connected", `nodes.conf line 1: expected a port, found "65536"`},
		{"no room for the bus port", "<a> :60000 myself,master - 0 0 0 connected", "nodes.conf line 1: port 60000 leaves no room for the bus port, which is not given"},
		{"hostname", "<a> :1@2,a_b myself,master - 0 0 0 connected", `nodes.conf line 1: "a_b" is not a hostname`},
		{"auxiliary field", "<a> :1@2,,colour=red myself,master - 0 0 0 connected", `nodes.conf line 1: unknown auxiliary field "colour"`},
		{"auxiliary form", "<a> :1@2,,colour myself,master - 0 0 0 connected", `nodes.conf line 1: expected name=value, found "colour"`},
		{"shard id", "<a> :1@2,,shard-id=1 myself,master - 0 0 0 connected", `nodes.conf line 1: "1" is not a shard id`},
		{"flag", "<a> :1@2 myself,queen - 0 0 0 connected", `nodes.conf line 1: unknown flag "queen"`},
		{"both roles", "<a> :1@2 myself,master,slave - 0 0 0 connected", "nodes.conf line 1: flagged both master and slave"},
		{"a primary's primary", me + "\n<b> :1@2 master <a> 0 0 0 connected", "nodes.conf line 2: a node that is not flagged slave names a primary"},
		{"unknown primary", me + "\n<b> :1@2 slave <c> 0 0 0 connected", "nodes.conf line 2: names node <c>, which has no line"},
		{"unknown import", me + " [1-<-<b>]", "nodes.conf line 1: names node <b>, which has no line"},
		{"another's import", me + "\n<b> :1@2 master - 0 0 0 connected [1-<-<a>]", "nodes.conf line 2: open slots stand on the line of another node than myself"},
		{"epoch", "<a> :1@2 myself,master - 0 0 -1 connected", `nodes.conf line 1: config-epoch: expected a number, found "-1"`},
		{"time", "<a> :1@2 myself,master - x 0 0 connected", `nodes.conf line 1: ping-sent: expected a time in ms, found "x"`},
		{"slot", me + " 16384", `nodes.conf line 1: expected a slot, found "16384"`},
		{"range", me + " 5-4", `nodes.conf line 1: slot range "5-4" runs backwards`},
		{"slot of two", me + " 5\n<b> :1@2 master - 0 0 0 connected 0-9", "nodes.conf line 2: slot 5 is assigned to <a> and to <b>"},
		{"open slot", me + " [5->-<a>", `nodes.conf line 1: expected an open slot such as [1->-id], found "[5->-<a>"`},
		{"open slot twice", me + " [5->-<a>] [5->-<a>]", "nodes.conf line 1: slot 5 is open twice in one direction"},
		{"vars", me + "\nvars currentEpoch\n", "nodes.conf line 2: vars: expected pairs of name and value, found 1 words"},
		{"vars value", me + "\nvars currentEpoch x\n", `nodes.conf line 2: vars: currentEpoch: expected a number, found "x"`},
		{"zeros", me + "\n\x00\x00\x00", "nodes.conf line 2: expected text, found byte 0x00 at column 1"},
		{"handshake", me + "\n<b> :1@2 handshake - 0 0 0 connected", "nodes.conf line 2: a node in handshake is never saved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseNodesConf([]byte(expand(c.text)))
			require.EqualError(t, err, expand(c.want))
			var corrupt *CorruptError
			require.True(t, errors.As(err, &corrupt))
		})
	}
}

// FuzzNodesConf: what is accepted means the same when written and read again.
func FuzzNodesConf(f *testing.F) {
	files, err := filepath.Glob("testdata/nodesconf/*.conf")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		conf, err := ParseNodesConf(text)
		if err != nil {
			return
		}
		again, err := ParseNodesConf(conf.Append(nil))
		require.NoError(t, err)
		require.Equal(t, conf, again)
	})
}
