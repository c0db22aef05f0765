// Command valkey-go-1 drives valkey-go; package compat says what it is asked to
// do and what it prints.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/valkey-io/valkey-go"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect}) }

type client struct{ valkey.Client }

func connect(addr, resp, kind string) (driver.Client, error) {
	c, err := valkey.NewClient(valkey.ClientOption{
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
	if valkey.IsValkeyNil(err) {
		err = nil
	}
	return value, err
}

// Cached uses the library's cache, which rests on CLIENT TRACKING.
func (c client) Cached(key string) (value string, hit bool, err error) {
	result := c.DoCache(context.Background(), c.B().Get().Key(key).Cache(), time.Minute)
	value, err = result.ToString()
	if valkey.IsValkeyNil(err) {
		err = nil
	}
	return value, result.IsCacheHit(), err
}

func (c client) Subscribe(channels []string, patterns bool) error {
	cmd := c.B().Subscribe().Channel(channels...).Build()
	if patterns {
		cmd = c.B().Psubscribe().Pattern(channels...).Build()
	}
	ctx := valkey.WithOnSubscriptionHook(context.Background(), func(s valkey.PubSubSubscription) {
		driver.Subscribed(s.Channel)
	})
	err := c.Receive(ctx, cmd, func(m valkey.PubSubMessage) {
		if m.Pattern != "" {
			driver.PatternMessage(m.Pattern, m.Channel, m.Message)
		} else {
			driver.Message(m.Channel, m.Message)
		}
	})
	return errors.Join(errors.New("the subscription ended"), err)
}
