package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

func commands(ctx context.Context, r redis.UniversalClient) {
	say("ping", must(r.Ping(ctx).Result()))
	say("set", must(r.Set(ctx, "greeting", "hello", 0).Result()))
	say("get", must(r.Get(ctx, "greeting").Result()))
	say("get-missing", errors.Is(r.Get(ctx, "nobody").Err(), redis.Nil))
	say("setnx", must(r.SetNX(ctx, "greeting", "hi", 0).Result()))
	say("set-get", must(r.SetArgs(ctx, "greeting", "hello", redis.SetArgs{Get: true}).Result()))
	say("append", must(r.Append(ctx, "greeting", " world").Result()))
	say("strlen", must(r.StrLen(ctx, "greeting").Result()))
	say("getrange", must(r.GetRange(ctx, "greeting", 3, -3).Result()))
	say("incr", must(r.Incr(ctx, "counter").Result()))
	say("incrby", must(r.IncrBy(ctx, "counter", 41).Result()))
	say("decr", must(r.Decr(ctx, "counter").Result()))
	say("incrbyfloat", must(r.IncrByFloat(ctx, "counter", 0.5).Result()))
	say("incr-text", strings.TrimPrefix(r.Incr(ctx, "greeting").Err().Error(), "ERR "))
	say("mset", must(r.MSet(ctx, "{m}1", "one", "{m}2", "two").Result()))
	say("mget", list(must(r.MGet(ctx, "{m}1", "{m}2", "{m}3").Result())))
	check(r.Set(ctx, "binary", "\x00\xff\r\n$5\x7f", 0).Err())
	say("binary", hex.EncodeToString(must(r.Get(ctx, "binary").Bytes())))
	say("setbit", must(r.SetBit(ctx, "bits", 7, 1).Result()))
	say("bitcount", must(r.BitCount(ctx, "bits", nil).Result()))
	say("expire", must(r.Expire(ctx, "greeting", 100*time.Second).Result()))
	say("ttl", must(r.TTL(ctx, "greeting").Result()).Round(10*time.Second).Seconds())
	say("persist", must(r.Persist(ctx, "greeting").Result()))
	say("exists", must(r.Exists(ctx, "{m}1", "{m}2", "{m}3").Result()))
	say("type", must(r.Type(ctx, "greeting").Result()))
	say("rename", must(r.Rename(ctx, "{m}1", "{m}4").Result()))
	say("del", must(r.Del(ctx, "{m}1", "{m}2", "{m}4").Result()))
	pipeline(ctx, r)
	transaction(ctx, r)
	say("watch-quiet", watch(ctx, r, func() {}))
	say("watch-changed", watch(ctx, r, func() { check(r.Set(ctx, "{w}watched", "changed", 0).Err()) }))
	say("scan", scan(ctx, r))
}

// pipeline spans several slots.
func pipeline(ctx context.Context, r redis.UniversalClient) {
	results, err := r.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 3 {
			p.IncrBy(ctx, fmt.Sprint("p", i), int64(i+1))
		}
		return nil
	})
	check(err)
	say("pipeline", numbers(results))
}

func transaction(ctx context.Context, r redis.UniversalClient) {
	results, err := r.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "{x}1")
		p.IncrBy(ctx, "{x}2", 2)
		p.Incr(ctx, "{x}1")
		return nil
	})
	check(err)
	say("transaction", numbers(results))
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
	check(err)
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
	check(err)
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
		check(cluster.ForEachMaster(ctx, walk))
	} else {
		check(walk(ctx, r.(*redis.Client)))
	}
	return len(found)
}

func must[T any](value T, err error) T {
	check(err)
	return value
}
