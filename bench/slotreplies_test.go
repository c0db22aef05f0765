//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/redistest"
)

func TestNodesConfDealsTheSlotsInTurn(t *testing.T) {
	nodes := []knownNode{{id: knownID(0), epoch: 1}, {id: knownID(1), port: 20001, epoch: 2}, {id: knownID(2), port: 20002, primary: knownID(1)}}
	text := strings.NewReplacer("{port}", "20000", "{bus}", "30000").Replace(nodesConf(nodes, 2))
	conf, err := clusterstate.ParseNodesConf([]byte(text))
	require.NoError(t, err)
	require.Len(t, conf.Nodes, 3)
	require.Contains(t, text, knownID(0)+" 127.0.0.1:20000@30000 myself,master - 0 0 1 connected 0 2 4 ")
	require.Contains(t, text, knownID(1)+" 127.0.0.1:20001@30001 master - 0 0 2 connected 1 3 5 ")
	require.Contains(t, text, knownID(2)+" 127.0.0.1:20002@30002 slave "+knownID(1)+" 0 0 0 connected\n")
}

// Both servers, as nodes of one cluster, give the same map.
func TestSlotReplies(t *testing.T) {
	redis := redistest.Bin(t, "redis-server")
	slotcast, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	m := &slotReplies{connections: 2, timing: brief}
	servers := m.variants([]*contender{
		{Name: slotcastName, Command: slotcastCommand(slotcast)},
		{Name: redisName, Command: redisCommand(redis)},
		{Name: "attached", Attach: "127.0.0.1:1"},
	})
	require.Len(t, servers, 2)
	require.Equal(t, redisName, servers[0].Name, "what ratios refer to")
	var sizes []float64
	for _, c := range servers {
		v, err := measureOnce(t, m, c)
		require.NoError(t, err, c.Name)
		require.Positive(t, v[keyReplies])
		require.Positive(t, v[keyReplyTime+"p50"])
		sizes = append(sizes, v[keyReplyBytes])
	}
	require.Equal(t, sizes[0], sizes[1])
	require.Greater(t, sizes[0], 80.0*clusterstate.Slots)

	m.reply[0]++
	_, err = measureOnce(t, m, servers[1])
	require.ErrorContains(t, err, "another server's has")
}

func TestAnswersMustBeTheFirstOne(t *testing.T) {
	for _, bad := range []string{"$3\r\nabX\r\n", "$4\r\nabcd\r\n", ""} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		var serving sync.WaitGroup
		serving.Go(func() { // ends when its only client hangs up
			nc, err := l.Accept()
			if err != nil {
				return
			}
			defer nc.Close()
			in := bufio.NewReader(nc)
			for n := 0; ; n++ {
				if _, err := readCommand(in); err != nil {
					return
				}
				answer := "$3\r\nabc\r\n"
				if n == 3 {
					answer = bad
				}
				if io.WriteString(nc, answer); answer == "" {
					return
				}
			}
		})
		a, err := openAskers(&instance{network: "tcp", addr: l.Addr().String()}, 1)
		require.NoError(t, err)
		late := time.AfterFunc(setupTimeout, func() { a.ended.Store(true) })
		require.Error(t, a.run(), "after %q", bad)
		require.True(t, late.Stop())
		require.EqualValues(t, 2, a.replies.Load())
		a.close()
		l.Close()
		serving.Wait()
	}
}
