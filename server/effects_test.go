package server

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/keyspace"
)

// A copyist runs commands on a keyspace of its own, and writes down those by
// which a copy of the data is to follow.
type copyist struct {
	keys  *keyspace.Keyspace
	wrote [][]string
	base  call
}

func newCopyist(ts *testServer, c *conn) *copyist {
	k := &copyist{}
	k.keys = keyspace.New(keyspace.Options{Hook: func(_ uint16, e keyspace.Effect) {
		if args := e.AppendCommand(nil); args != nil {
			words := make([]string, len(args))
			for i := range args {
				words[i] = string(args[i])
			}
			k.wrote = append(k.wrote, words)
		}
	}})
	k.base = call{server: ts.Server, conn: c}
	return k
}

func (k *copyist) run(t testing.TB, now int64, words ...string) {
	args := make([][]byte, len(words))
	for i := range words {
		args[i] = []byte(words[i])
	}
	cl, reply := k.base, Reply{}
	var err error
	cl.cmd, err = cl.server.commands.lookup(args)
	require.NoError(t, err)
	if !cl.cmd.accepts(len(args)) {
		return
	}
	cl.args, cl.now, cl.reply = args, now, &reply
	cl.slot = k.keys.Slot(clusterstate.KeySlot([]byte("{t}")))
	cl.cmd.handler(&cl)
}

func (k *copyist) data() map[string]string {
	all := map[string]string{}
	k.keys.Slot(clusterstate.KeySlot([]byte("{t}"))).Walk(func(e *keyspace.Entry) bool {
		all[e.Key()] = fmt.Sprintf("%q until %d", e.Value().(*keyspace.String).Bytes(nil), e.ExpireAt())
		return true
	})
	return all
}

// TestEffectsMakeACopy replays what the effects say, long after, and must end
// with the same data. That a key expires is written down as well, so the copy
// needs no clock of its own.
func TestEffectsMakeACopy(t *testing.T) {
	ts := startServer(t)
	client := ts.dial(t)
	client.want("+PONG\r\n", "PING")
	c := ts.connOf(t, client)
	original, replica := newCopyist(ts, c), newCopyist(ts, c)
	replica.keys.KeepExpired(true)
	r := rand.New(rand.NewPCG(7, 7))
	now := int64(1_000_000)
	for range 20_000 {
		args := genericCommand(r)
		if r.IntN(8) == 0 {
			args = restoreCommand(r)
		}
		switch args[0] {
		case "KEYS", "SCAN", "DBSIZE", "RANDOMKEY", "FLUSHALL", "FLUSHDB", "OBJECT":
			now += r.Int64N(50_000)
			continue
		}
		original.run(t, now, args...)
		for _, command := range original.wrote {
			replica.run(t, 1, command...)
		}
		require.Equal(t, original.data(), replica.data(), "after %q, copied as %q", args, original.wrote)
		require.LessOrEqual(t, len(original.wrote), 1+strings.Count(fmt.Sprint(original.wrote), "DEL"), "%q", original.wrote)
		original.wrote = nil
	}
	require.NotEmpty(t, original.data())
}
