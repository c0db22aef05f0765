//go:build linux

package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func planOf(t *testing.T, args ...string) []measurement {
	t.Helper()
	o, err := parseFlags(args, io.Discard)
	require.NoError(t, err)
	plan, err := o.plan()
	require.NoError(t, err)
	return plan
}

func titles(plan []measurement) (list []string) {
	for _, m := range plan {
		list = append(list, m.title())
	}
	return list
}

func TestListsMeasureEveryCombination(t *testing.T) {
	plan := planOf(t, "-measure", "fanout,commands", "-subs", "10,20", "-depth", "1,16", "-by", "ack,receipt", "-P", "4")
	require.Len(t, plan, 2*2*2+1)
	require.Contains(t, titles(plan), "fan-out, channel, 20 subscribers (RESP2), 1 publisher, depth 16 by receipt, 64-byte payload")
	require.Contains(t, titles(plan), "redis-benchmark -t set,get -c 50 -P 4, 3-byte values, one key")
	plan = planOf(t, "-measure", "fanout", "-channel", "slots,shard", "-rows", "1,100", "-rate", "500")
	require.Equal(t, []string{
		"fan-out, slots, 1000 subscribers (RESP2), 1 publisher at a steady 500 messages/s, 1 row a change",
		"fan-out, slots, 1000 subscribers (RESP2), 1 publisher at a steady 500 messages/s, 100 rows a change",
		"fan-out, shard, 1000 subscribers (RESP2), 1 publisher at a steady 500 messages/s, 64-byte payload",
	}, titles(plan))
}

func TestPresets(t *testing.T) {
	quick, full := planOf(t), planOf(t, "-preset", "full")
	require.Equal(t, titles(planOf(t, "-preset", "quick")), titles(quick))
	require.Equal(t, timing{Warmup: 2 * time.Second, Duration: 10 * time.Second, Settle: time.Second, Rest: 20 * time.Second}, full[0].(*fanout).timing)
	require.Equal(t, 1000, full[0].(*fanout).spec.subscribers)
	kinds := func(plan []measurement) map[string]int {
		count := map[string]int{}
		for _, m := range plan {
			count[fmt.Sprintf("%T", m)]++
		}
		return count
	}
	require.Equal(t, map[string]int{"*main.fanout": 8, "*main.forms": 3, "*main.limits": 1, "*main.idleMemory": 1, "*main.idleSlope": 1,
		"*main.shardFailover": 1, "*main.slotReplies": 2, "*main.requestRate": 6}, kinds(full))
	for kind := range kinds(full) {
		require.Contains(t, kinds(quick), kind)
	}
	for _, title := range []string{
		"fan-out, channel, 5000 subscribers (RESP2), 1 publisher, depth 16 by acknowledgement, 64-byte payload",
		"fan-out, channel, 5000 subscribers (RESP2), 1 publisher, depth 1 by receipt, 64-byte payload",
		"fan-out, channel, 1000 subscribers (RESP2), 8 publishers, depth 1 by acknowledgement, 64-byte payload",
		"fan-out, channel, 100 subscribers (RESP2), 1 publisher at a steady 1000 messages/s, 64-byte payload",
		"forms, 1000 subscribers, 100 rows a change, depth 1 by acknowledgement, messages of the ordinary channel as long as RESP2 rows",
		"SET and GET, 1000 connections, depth 100, 3-byte values, one key",
	} {
		require.Contains(t, titles(full), title)
	}
	changed := planOf(t, "-preset", "quick", "-duration", "3s")[0].(*fanout)
	require.Equal(t, 3*time.Second, changed.timing.Duration, "the command line wins over the preset")
	require.NotEqual(t, full[0].(*fanout).timing.Warmup, changed.timing.Warmup)
}

// Slot channels are measured on slotcast alone, whatever its name says further.
func TestOnlySlotcastPushesSlots(t *testing.T) {
	slots, plain := &fanout{spec: fanoutSpec{kind: mustKind("slots:json")}}, &fanout{spec: fanoutSpec{kind: mustKind("channel")}}
	for name, has := range map[string]bool{slotcastName: true, "slotcast-before": true, redisName: false} {
		require.Equal(t, has, slots.suits(&contender{Name: name}), name)
		require.True(t, plain.suits(&contender{Name: name}), name)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range []string{
		"-preset slow", "-measure latency", "-preset quick -measure fanout", "-subs 0", "-depth x", "-by luck", "-payload 4",
		"-rows 9000", "-rounds 0", "-duration 0s", "-attach a", "-attach a=b,c", "-server a=", "extra", "-subs ,", "-payload ,", "-rows ,",
		"-bad 0", "-limit 0", "-subs 5", "-preset full -depth 4",
	} {
		_, err := parseFlags(strings.Fields(args), io.Discard)
		require.Error(t, err, args)
	}
	for _, args := range []string{"-measure forms -rate 10", "-measure requests -t set,incr", "-measure fanout -channel none", "-measure fanout -channel slots -publishers 2"} {
		o, err := parseFlags(strings.Fields(args), io.Discard)
		require.NoError(t, err)
		_, err = o.plan()
		require.Error(t, err, args)
	}
	_, err := parseFlags([]string{"-h"}, io.Discard)
	require.ErrorIs(t, err, flag.ErrHelp)
}

func TestServersByName(t *testing.T) {
	o, err := parseFlags(strings.Fields("-attach other=127.0.0.1:1,77 -servers other"), io.Discard)
	require.NoError(t, err)
	list, err := o.contenders(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.Equal(t, []*contender{{Name: "other", Attach: "127.0.0.1:1", pid: 77}}, list)
	o.servers = []string{"nobody"}
	_, err = o.contenders(t.Context(), t.TempDir())
	require.Error(t, err)
}
