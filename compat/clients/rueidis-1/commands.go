package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/redis/rueidis"

	driver "slotcast/compat/clients/go-common"
)

func commands(d driver.Client) {
	ctx, c := context.Background(), d.(client).Client
	ask := func(cmd rueidis.Completed) rueidis.RedisResult { return c.Do(ctx, cmd) }
	text := func(cmd rueidis.Completed) string { return driver.Must(ask(cmd).ToString()) }
	number := func(cmd rueidis.Completed) int64 { return driver.Must(ask(cmd).ToInt64()) }
	// A method of the builder that answers 0 or 1 is read as a boolean.
	yes := func(cmd rueidis.Completed) bool { return driver.Must(ask(cmd).AsBool()) }

	driver.Say("ping", text(c.B().Ping().Build()))
	driver.Say("set", text(c.B().Set().Key("greeting").Value("hello").Build()))
	driver.Say("get", text(c.B().Get().Key("greeting").Build()))
	driver.Say("get-missing", rueidis.IsRedisNil(ask(c.B().Get().Key("nobody").Build()).Error()))
	driver.Say("setnx", yes(c.B().Setnx().Key("greeting").Value("hi").Build()))
	driver.Say("set-get", text(c.B().Set().Key("greeting").Value("hello").Get().Build()))
	driver.Say("append", number(c.B().Append().Key("greeting").Value(" world").Build()))
	driver.Say("strlen", number(c.B().Strlen().Key("greeting").Build()))
	driver.Say("getrange", text(c.B().Getrange().Key("greeting").Start(3).End(-3).Build()))
	driver.Say("incr", number(c.B().Incr().Key("counter").Build()))
	driver.Say("incrby", number(c.B().Incrby().Key("counter").Increment(41).Build()))
	driver.Say("decr", number(c.B().Decr().Key("counter").Build()))
	driver.Say("incrbyfloat", driver.Must(ask(c.B().Incrbyfloat().Key("counter").Increment(0.5).Build()).AsFloat64()))
	// The library has taken the leading ERR away already.
	driver.Say("incr-text", strings.TrimPrefix(ask(c.B().Incr().Key("greeting").Build()).Error().Error(), "ERR "))
	driver.Say("mset", text(c.B().Mset().KeyValue().KeyValue("{m}1", "one").KeyValue("{m}2", "two").Build()))
	driver.Say("mget", list(driver.Must(ask(c.B().Mget().Key("{m}1", "{m}2", "{m}3").Build()).ToArray())))
	driver.Must(ask(c.B().Set().Key("binary").Value("\x00\xff\r\n$5\x7f").Build()).ToString())
	driver.Say("binary", hex.EncodeToString([]byte(text(c.B().Get().Key("binary").Build()))))
	driver.Say("setbit", number(c.B().Setbit().Key("bits").Offset(7).Value(1).Build()))
	driver.Say("bitcount", number(c.B().Bitcount().Key("bits").Build()))
	driver.Say("expire", yes(c.B().Expire().Key("greeting").Seconds(100).Build()))
	driver.Say("ttl", (number(c.B().Ttl().Key("greeting").Build())+5)/10*10)
	driver.Say("persist", yes(c.B().Persist().Key("greeting").Build()))
	driver.Say("exists", number(c.B().Exists().Key("{m}1", "{m}2", "{m}3").Build()))
	driver.Say("type", text(c.B().Type().Key("greeting").Build()))
	driver.Say("rename", text(c.B().Rename().Key("{m}1").Newkey("{m}4").Build()))
	driver.Say("del", number(c.B().Del().Key("{m}1", "{m}2", "{m}4").Build()))
	pipeline(ctx, c)
	transaction(ctx, c)
	driver.Say("watch-quiet", watch(ctx, c, func() {}))
	driver.Say("watch-changed", watch(ctx, c, func() {
		driver.Must(c.Do(ctx, c.B().Set().Key("{w}watched").Value("changed").Build()).ToString())
	}))
	driver.Say("scan", scan(ctx, c))
}

// list is a row of replies, with nil for what is not there.
func list(values []rueidis.RedisMessage) string {
	var texts []string
	for _, v := range values {
		switch {
		case v.IsNil():
			texts = append(texts, "nil")
		case v.IsInt64():
			texts = append(texts, fmt.Sprint(driver.Must(v.ToInt64())))
		default:
			texts = append(texts, driver.Must(v.ToString()))
		}
	}
	return fmt.Sprint(texts)
}

// pipeline spans several slots.
func pipeline(ctx context.Context, c rueidis.Client) {
	var cmds []rueidis.Completed
	for i := range 3 {
		cmds = append(cmds, c.B().Incrby().Key(fmt.Sprint("p", i)).Increment(int64(i+1)).Build())
	}
	var values []rueidis.RedisMessage
	for _, result := range c.DoMulti(ctx, cmds...) {
		values = append(values, driver.Must(result.ToMessage()))
	}
	driver.Say("pipeline", list(values))
}

func transaction(ctx context.Context, c rueidis.Client) {
	driver.Check(c.Dedicated(func(d rueidis.DedicatedClient) error {
		results := d.DoMulti(ctx,
			d.B().Arbitrary("GET").Keys("{x}1").Build(), // leads a cluster client to the node
			d.B().Multi().Build(),
			d.B().Incr().Key("{x}1").Build(),
			d.B().Incrby().Key("{x}2").Increment(2).Build(),
			d.B().Incr().Key("{x}1").Build(),
			d.B().Exec().Build(),
		)
		driver.Say("transaction", list(driver.Must(results[5].ToArray())))
		return nil
	}))
}

// watch is the compare-and-set of the library's documentation; meanwhile runs
// between the read and the write.
func watch(ctx context.Context, c rueidis.Client, meanwhile func()) string {
	outcome := "committed"
	driver.Check(c.Dedicated(func(d rueidis.DedicatedClient) error {
		if err := d.Do(ctx, d.B().Watch().Key("{w}watched").Build()).Error(); err != nil {
			return err
		}
		err := d.Do(ctx, d.B().Get().Key("{w}watched").Build()).Error()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
		meanwhile()
		results := d.DoMulti(ctx,
			d.B().Multi().Build(),
			d.B().Set().Key("{w}watched").Value("mine").Build(),
			d.B().Exec().Build(),
		)
		_, err = results[2].ToArray()
		if rueidis.IsRedisNil(err) {
			outcome = "aborted"
			return nil
		}
		return err
	}))
	return outcome
}

// scan writes keys into many slots and counts those that a walk over all
// primaries finds.
func scan(ctx context.Context, c rueidis.Client) int {
	var cmds []rueidis.Completed
	for i := range 500 {
		cmds = append(cmds, c.B().Set().Key(fmt.Sprint("scan:", i)).Value(fmt.Sprint(i)).Build())
	}
	for _, result := range c.DoMulti(ctx, cmds...) {
		driver.Check(result.Error())
	}
	found := map[string]bool{}
	for _, node := range c.Nodes() {
		for cursor, first := uint64(0), true; first || cursor != 0; first = false {
			entry := driver.Must(node.Do(ctx, node.B().Scan().Cursor(cursor).Match("scan:*").Count(20).Build()).AsScanEntry())
			for _, key := range entry.Elements {
				found[key] = true
			}
			cursor = entry.Cursor
		}
	}
	return len(found)
}
