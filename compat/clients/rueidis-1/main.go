// Command rueidis-1 drives rueidis; package compat says what it is asked to
// do and what it prints.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/redis/rueidis"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect, Commands: commands, Load: load}) }

type client struct{ rueidis.Client }

func connect(addr, resp, kind string) (driver.Client, error) {
	c, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress:       []string{addr},
		AlwaysRESP2:       resp == "2",
		ForceSingleClient: kind == "single",
		DisableCache:      resp == "2", // which has no pushes
	})
	return client{c}, err
}

func (c client) Set(key, value string) error {
	return c.Do(context.Background(), c.B().Set().Key(key).Value(value).Build()).Error()
}

func (c client) Get(key string) (string, error) {
	value, err := c.Do(context.Background(), c.B().Get().Key(key).Build()).ToString()
	if rueidis.IsRedisNil(err) {
		err = nil
	}
	return value, err
}

// Cached uses the library's cache, which rests on CLIENT TRACKING.
func (c client) Cached(key string) (value string, hit bool, err error) {
	result := c.DoCache(context.Background(), c.B().Get().Key(key).Cache(), time.Minute)
	value, err = result.ToString()
	if rueidis.IsRedisNil(err) {
		err = nil
	}
	return value, result.IsCacheHit(), err
}

func (c client) Subscribe(channels []string, patterns bool) error {
	cmd := c.B().Subscribe().Channel(channels...).Build()
	if patterns {
		cmd = c.B().Psubscribe().Pattern(channels...).Build()
	}
	ctx := rueidis.WithOnSubscriptionHook(context.Background(), func(s rueidis.PubSubSubscription) {
		driver.Subscribed(s.Channel)
	})
	err := c.Receive(ctx, cmd, func(m rueidis.PubSubMessage) {
		if m.Pattern != "" {
			driver.PatternMessage(m.Pattern, m.Channel, m.Message)
		} else {
			driver.Message(m.Channel, m.Message)
		}
	})
	return errors.Join(errors.New("the subscription ended"), err)
}
