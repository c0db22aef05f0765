package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	driver "slotcast/compat/clients/go-common"
)

func commands(c driver.Client) {
	ctx, r := context.Background(), c.(client).UniversalClient
	driver.Say("ping", driver.Must(r.Ping(ctx).Result()))
	driver.Say("set", driver.Must(r.Set(ctx, "greeting", "hello", 0).Result()))
	driver.Say("get", driver.Must(r.Get(ctx, "greeting").Result()))
	driver.Say("get-missing", errors.Is(r.Get(ctx, "nobody").Err(), redis.Nil))
	driver.Say("setnx", driver.Must(r.SetNX(ctx, "greeting", "hi", 0).Result()))
	driver.Say("set-get", driver.Must(r.SetArgs(ctx, "greeting", "hello", redis.SetArgs{Get: true}).Result()))
	driver.Say("append", driver.Must(r.Append(ctx, "greeting", " world").Result()))
	driver.Say("strlen", driver.Must(r.StrLen(ctx, "greeting").Result()))
	driver.Say("getrange", driver.Must(r.GetRange(ctx, "greeting", 3, -3).Result()))
	driver.Say("incr", driver.Must(r.Incr(ctx, "counter").Result()))
	driver.Say("incrby", driver.Must(r.IncrBy(ctx, "counter", 41).Result()))
	driver.Say("decr", driver.Must(r.Decr(ctx, "counter").Result()))
	driver.Say("incrbyfloat", driver.Must(r.IncrByFloat(ctx, "counter", 0.5).Result()))
	driver.Say("incr-text", strings.TrimPrefix(r.Incr(ctx, "greeting").Err().Error(), "ERR "))
	driver.Say("mset", driver.Must(r.MSet(ctx, "{m}1", "one", "{m}2", "two").Result()))
	driver.Say("mget", list(driver.Must(r.MGet(ctx, "{m}1", "{m}2", "{m}3").Result())))
	driver.Check(r.Set(ctx, "binary", "\x00\xff\r\n$5\x7f", 0).Err())
	driver.Say("binary", hex.EncodeToString(driver.Must(r.Get(ctx, "binary").Bytes())))
	driver.Say("setbit", driver.Must(r.SetBit(ctx, "bits", 7, 1).Result()))
	driver.Say("bitcount", driver.Must(r.BitCount(ctx, "bits", nil).Result()))
	driver.Say("expire", driver.Must(r.Expire(ctx, "greeting", 100*time.Second).Result()))
	driver.Say("ttl", driver.Must(r.TTL(ctx, "greeting").Result()).Round(10*time.Second).Seconds())
	driver.Say("persist", driver.Must(r.Persist(ctx, "greeting").Result()))
	driver.Say("exists", driver.Must(r.Exists(ctx, "{m}1", "{m}2", "{m}3").Result()))
	driver.Say("type", driver.Must(r.Type(ctx, "greeting").Result()))
	driver.Say("rename", driver.Must(r.Rename(ctx, "{m}1", "{m}4").Result()))
	driver.Say("del", driver.Must(r.Del(ctx, "{m}1", "{m}2", "{m}4").Result()))
	pipeline(ctx, r)
	transaction(ctx, r)
	driver.Say("watch-quiet", watch(ctx, r, func() {}))
	driver.Say("watch-changed", watch(ctx, r, func() { driver.Check(r.Set(ctx, "{w}watched", "changed", 0).Err()) }))
	driver.Say("scan", scan(ctx, r))
}

// pipeline spans several slots.
func pipeline(ctx context.Context, r redis.UniversalClient) {
	results, err := r.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 3 {
			p.IncrBy(ctx, fmt.Sprint("p", i), int64(i+1))
		}
		return nil
	})
	driver.Check(err)
	driver.Say("pipeline", numbers(results))
}

func transaction(ctx context.Context, r redis.UniversalClient) {
	results, err := r.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "{x}1")
		p.IncrBy(ctx, "{x}2", 2)
		p.Incr(ctx, "{x}1")
		return nil
	})
	driver.Check(err)
	driver.Say("transaction", numbers(results))
}

func numbers(results []redis.Cmder) string {
	var values []any
	for _, cmd := range results {
		values = append(values, cmd.(*redis.IntCmd).Val())
	}
	return list(values)
}

// watch is the compare-and-set of the library's documentation; meanwhile runs
// between the read and the write.
func watch(ctx context.Context, r redis.UniversalClient, meanwhile func()) string {
	err := r.Watch(ctx, func(tx *redis.Tx) error {
		if err := tx.Get(ctx, "{w}watched").Err(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		meanwhile()
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "{w}watched", "mine", 0)
			return nil
		})
		return err
	}, "{w}watched")
	if errors.Is(err, redis.TxFailedErr) {
		return "aborted"
	}
	driver.Check(err)
	return "committed"
}

// scan writes keys into many slots and counts those that a walk over all
// primaries finds.
func scan(ctx context.Context, r redis.UniversalClient) int {
	_, err := r.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 500 {
			p.Set(ctx, fmt.Sprint("scan:", i), i, 0)
		}
		return nil
	})
	driver.Check(err)
	var mu sync.Mutex // guards found
	found := map[string]bool{}
	walk := func(ctx context.Context, c *redis.Client) error {
		keys := c.Scan(ctx, 0, "scan:*", 20).Iterator()
		for keys.Next(ctx) {
			mu.Lock()
			found[keys.Val()] = true
			mu.Unlock()
		}
		return keys.Err()
	}
	if cluster, ok := r.(*redis.ClusterClient); ok {
		driver.Check(cluster.ForEachMaster(ctx, walk))
	} else {
		driver.Check(walk(ctx, r.(*redis.Client)))
	}
	return len(found)
}

// list is a row of replies, with nil for what is not there.
func list(values []any) string {
	return fmt.Sprint(slices.Collect(func(yield func(any) bool) {
		for _, v := range values {
			if v == nil {
				v = "nil"
			}
			if !yield(v) {
				return
			}
		}
	}))
}
