package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
)

func subscribe(ctx context.Context, r redis.UniversalClient, channels []string) {
	var sub *redis.PubSub
	if strings.Contains(channels[0], "*") {
		sub = r.PSubscribe(ctx, channels...)
	} else {
		sub = r.Subscribe(ctx, channels...)
	}
	go read(ctx, sub)
	_, err := io.Copy(io.Discard, os.Stdin)
	check(err)
	os.Exit(0) // at once: a client that closes in order would fail the reader
}

// read prints what arrives; it ends with the program.
func read(ctx context.Context, sub *redis.PubSub) {
	for {
		received, err := sub.Receive(ctx)
		check(err)
		switch m := received.(type) {
		case *redis.Subscription:
			fmt.Println("subscribed", m.Channel)
		case *redis.Message:
			payload, err := json.Marshal(m.Payload)
			check(err)
			if m.Pattern != "" {
				fmt.Println("pmessage", m.Pattern, m.Channel, string(payload))
			} else {
				fmt.Println("message", m.Channel, string(payload))
			}
		default:
			fail(fmt.Sprintf("unexpected %T", m))
		}
	}
}
