// Command go-redis-8 drives go-redis 8; package compat says what it is asked to
// do and what it prints.
package main

import (
	"context"
	"errors"

	"github.com/go-redis/redis/v8"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect}) }

type client struct{ redis.UniversalClient }

// connect has no protocol to choose: the library speaks RESP2 alone.
func connect(addr, _, kind string) (driver.Client, error) {
	if kind == "cluster" {
		return client{redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}})}, nil
	}
	return client{redis.NewClient(&redis.Options{Addr: addr})}, nil
}

func (c client) Set(key, value string) error {
	return c.UniversalClient.Set(context.Background(), key, value, 0).Err()
}

func (c client) Get(key string) (string, error) {
	value, err := c.UniversalClient.Get(context.Background(), key).Result()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return value, err
}

func (c client) Subscribe(channels []string, patterns bool) error {
	ctx := context.Background()
	subscribe := c.UniversalClient.Subscribe
	if patterns {
		subscribe = c.PSubscribe
	}
	// As Channel does, but with the confirmations.
	for received := range subscribe(ctx, channels...).ChannelWithSubscriptions(ctx, 100) {
		switch m := received.(type) {
		case *redis.Subscription:
			driver.Subscribed(m.Channel)
		case *redis.Message:
			if m.Pattern != "" {
				driver.PatternMessage(m.Pattern, m.Channel, m.Payload)
			} else {
				driver.Message(m.Channel, m.Payload)
			}
		}
	}
	return errors.New("the subscription was closed")
}
