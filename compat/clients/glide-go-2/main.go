// Command glide-go-2 drives Valkey GLIDE for Go; package compat says what it is
// asked to do and what it prints.
package main

import (
	"context"
	"net"
	"strconv"

	glide "github.com/valkey-io/valkey-glide/go/v2"
	"github.com/valkey-io/valkey-glide/go/v2/config"
	"github.com/valkey-io/valkey-glide/go/v2/models"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect}) }

// A glideClient is what the clients of one node and of a cluster share.
type glideClient interface {
	Set(ctx context.Context, key, value string) (string, error)
	Get(ctx context.Context, key string) (models.Result[string], error)
	Subscribe(ctx context.Context, channels []string, timeoutMs int) error
	PSubscribe(ctx context.Context, patterns []string, timeoutMs int) error
	GetQueue() (*glide.PubSubMessageQueue, error)
}

type client struct{ glideClient }

// connect has no protocol to choose: the library speaks RESP3 alone.
func connect(addr, _, kind string) (driver.Client, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	node := &config.NodeAddress{Host: host, Port: port}
	if kind == "cluster" {
		c, err := glide.NewClusterClient(config.NewClusterClientConfiguration().WithAddress(node).
			WithSubscriptionConfig(config.NewClusterSubscriptionConfig()))
		return client{c}, err
	}
	c, err := glide.NewClient(config.NewClientConfiguration().WithAddress(node).
		WithSubscriptionConfig(config.NewStandaloneSubscriptionConfig()))
	return client{c}, err
}

func (c client) Set(key, value string) error {
	_, err := c.glideClient.Set(context.Background(), key, value)
	return err
}

func (c client) Get(key string) (string, error) {
	result, err := c.glideClient.Get(context.Background(), key)
	return result.Value(), err
}

// Subscribe reads the queue that messages come into; the library keeps
// confirmations to itself, and returns after the last one.
func (c client) Subscribe(channels []string, patterns bool) error {
	queue, err := c.GetQueue()
	if err != nil {
		return err
	}
	subscribe := c.glideClient.Subscribe
	if patterns {
		subscribe = c.PSubscribe
	}
	if err := subscribe(context.Background(), channels, 0); err != nil {
		return err
	}
	for _, channel := range channels {
		driver.Subscribed(channel)
	}
	for {
		message := <-queue.WaitForMessage()
		if message.Pattern.IsNil() {
			driver.Message(message.Channel, message.Message)
		} else {
			driver.PatternMessage(message.Pattern.Value(), message.Channel, message.Message)
		}
	}
}
