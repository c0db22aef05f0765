package gossip

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/redistest"
)

// The nodes that both sides are told of. Nothing listens on the peers' ports.
const sharedConf = "<a> 127.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-99 200-299\n" +
	"<b> 127.0.0.1:1@2,host-b master - 0 0 9 disconnected 100-199 300\n" +
	"<c> 127.0.0.1:3@4 master - 0 0 4 disconnected 5000-16383\n" +
	"<d> 127.0.0.1:5@6 slave <b> 0 0 9 disconnected\n" +
	"vars currentEpoch 10 lastVoteEpoch 2\n"

// real is a redis-server that was started on a nodes.conf.
type real struct {
	*testing.T
	server *redistest.Server
	conn   net.Conn
	in     *bufio.Reader
	conf   string
}

func startReal(t *testing.T, conf string, args ...string) *real {
	dir := t.TempDir()
	path := filepath.Join(dir, "nodes.conf")
	if conf != "" {
		require.NoError(t, os.WriteFile(path, []byte(expandIDs(conf)), 0o644))
	}
	s := redistest.Start(t, append([]string{
		"--cluster-enabled", "yes", "--dir", dir, "--cluster-config-file", "nodes.conf",
		"--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", "7000", "--cluster-announce-bus-port", "17000",
		"--cluster-node-timeout", "3600000", "--cluster-require-full-coverage", "no",
		"--cluster-allow-replica-migration", "no",
	}, args...)...)
	conn, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return &real{t, s, conn, bufio.NewReader(conn), path}
}

// do sends a command and returns the reply: a string (an error with its code),
// an int, nil, or a slice.
func (r *real) do(words ...string) any {
	r.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	_, err := io.WriteString(r.conn, b.String())
	require.NoError(r, err)
	reply, err := readReply(r.in)
	require.NoError(r, err)
	return reply
}

func readReply(in *bufio.Reader) (any, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(line[1:], "\r\n")
	switch line[0] {
	case '+', '-':
		return text, nil
	case ':':
		return strconv.Atoi(text)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil, err
	}
	switch line[0] {
	case '$':
		bulk := make([]byte, n+2)
		_, err := io.ReadFull(in, bulk)
		return string(bulk[:n]), err
	case '*':
		list := make([]any, n)
		for i := range list {
			if list[i], err = readReply(in); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return nil, errors.New("unexpected reply " + line)
}

func (r *real) cluster(words ...string) string {
	return fmt.Sprint(r.do(append([]string{"cluster"}, words...)...))
}

// ours is a gossip.Node that answers the same commands.
type ours struct {
	node *Node
	now  Now
	keys map[uint16]int
}

func startOurs(t *testing.T, conf string) *ours {
	cfg := testConfig()
	cfg.AnnounceIP, cfg.RequireFullCoverage = "127.0.0.1", false
	var parsed *clusterstate.NodesConf
	if conf != "" {
		parsed = parseConf(t, conf)
	}
	node, _ := New(cfg, parsed, testSeed, at(0))
	return &ours{node, at(0), map[uint16]int{}}
}

func (o *ours) cluster(words ...string) string {
	reply := func(text any, err error) string {
		if err != nil {
			return "ERR " + err.Error()
		}
		return fmt.Sprint(text)
	}
	switch words[0] {
	case "nodes":
		return string(o.node.NodesText(clientVariant))
	case "info":
		return string(o.node.InfoText())
	case "replicas":
		lines, err := o.node.ReplicaLines(words[1], clientVariant)
		return reply(lines, err)
	case "count-failure-reports":
		return reply(o.node.FailureReports(words[1]))
	case "slots":
		return o.slots()
	case "shards":
		return o.shards()
	}
	out := o.node.Step(o.now, input(words, o.keys))
	return reply(out.Reply.Text, out.Reply.Err)
}

func (o *ours) slots() string {
	v := o.node.View()
	list := []any{}
	entry := func(n *clusterstate.Node) any {
		e := v.NodeEntry(n, clientVariant)
		meta := []any{}
		for _, pair := range e.Meta() {
			meta = append(meta, pair[0], pair[1])
		}
		return []any{e.Endpoint, e.Port, e.ID, meta}
	}
	for _, r := range v.Rows() {
		row := []any{r.Start, r.End, entry(r.Primary)}
		for _, n := range r.Replicas {
			row = append(row, entry(n))
		}
		list = append(list, row)
	}
	return fmt.Sprint(list)
}

func (o *ours) shards() string {
	list := []string{}
	for _, s := range o.node.Shards(0) {
		slots, nodes := []any{}, []any{}
		for _, r := range s.Slots {
			slots = append(slots, r.Start, r.End)
		}
		for _, n := range s.Nodes {
			node := []any{"id", n.ID, "port", n.Port, "ip", n.IP, "endpoint", n.Endpoint}
			if n.Hostname != "" {
				node = append(node, "hostname", n.Hostname)
			}
			role := "master"
			if n.Replica {
				role = "replica"
			}
			nodes = append(nodes, append(node, "role", role, "replication-offset", n.Offset, "health", n.Health))
		}
		list = append(list, fmt.Sprint([]any{"slots", slots, "nodes", nodes}))
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}
