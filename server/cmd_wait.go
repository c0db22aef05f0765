package server

import (
	"math"
	"time"
)

func waitCommands() []command {
	return []command{
		{name: "wait", arity: 3, flags: noScript | waits, categories: catConnection, group: "generic", since: "3.0.0", handler: wait,
			tips: []string{"request_policy:all_shards", "response_policy:agg_min"}},
	}
}

// wait waits for replicas to acknowledge the writes of this connection. There
// are none, so that it waits in vain for any number above zero.
func wait(cl *call) {
	replicas, ok := parseInt(cl.args[1])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	timeout, err := parseMillis(cl.args[2])
	if err != nil {
		cl.fail(err)
		return
	}
	if replicas <= 0 || cl.exec != nil {
		cl.reply.Int(0)
		return
	}
	c := cl.conn
	cl.announce()
	cl.letGo()
	var until time.Time
	if timeout > 0 {
		until = time.Now().Add(timeout)
	}
	c.arm(waitsForReplicas)
	out := c.await(until)
	c.disarm()
	switch out {
	case outcomeError:
		cl.fail(errUnblocked)
	case outcomeTime:
		cl.reply.Int(0)
	}
}

// parseMillis reads a timeout in milliseconds.
func parseMillis(arg []byte) (time.Duration, error) {
	n, ok := parseInt(arg)
	switch {
	case !ok:
		return 0, errTimeoutInteger
	case n < 0:
		return 0, errTimeoutNegative
	case n > math.MaxInt64/int64(time.Millisecond):
		return math.MaxInt64, nil // 292 years
	}
	return time.Duration(n) * time.Millisecond, nil
}
