// Package slots makes cluster clients of go-redis that follow the slot map of
// the cluster as it changes, instead of being redirected.
//
// go-redis takes its map from the function ClusterOptions.ClusterSlots, if there
// is one. Here it is the map that the server pushes.
package slots

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	slotmap "slotcast/examples/go-slotmap"
)

// NewClusterClient is redis.NewClusterClient for a client that follows the
// pushed map. Told, if not nil, is called with "map" for each range of the whole
// map and with "change" for what changes later. Following ends when the client is
// closed.
func NewClusterClient(options *redis.ClusterOptions, told func(what string, r slotmap.Range)) (*redis.ClusterClient, error) {
	host, _, err := net.SplitHostPort(options.Addrs[0])
	if err != nil {
		return nil, err
	}
	f := &follower{slots: slotmap.New(host), seeds: options.Addrs, told: told}
	following := *options
	following.ClusterSlots = f.clusterSlots
	f.client = redis.NewClusterClient(&following)

	// The cluster client chooses a node, and another one if that is lost; it
	// subscribes to both channels again by itself.
	ctx := context.Background()
	sub := f.client.Subscribe(ctx, slotmap.Changes, slotmap.Snapshot)
	if _, err := sub.Receive(ctx); err != nil {
		return nil, errors.Join(err, sub.Close(), f.client.Close())
	}
	go f.follow(ctx, sub) // ends when the client is closed, and with it sub
	return f.client, nil
}

// A follower is a client with the map that it is to have.
type follower struct {
	client *redis.ClusterClient
	slots  *slotmap.Map
	seeds  []string
	told   func(what string, r slotmap.Range)
}

func (f *follower) follow(ctx context.Context, sub *redis.PubSub) {
	messages := sub.Channel()
	for message := range messages {
		ranges, err := f.slots.Apply(message.Channel, message.Payload)
		if err != nil {
			continue // nothing is applied of it; MOVED still leads to the owner
		}
		what := "change"
		if message.Channel == slotmap.Snapshot {
			what = "map"
		}
		if f.told != nil {
			for _, r := range ranges {
				f.told(what, r)
			}
		}
		if len(messages) == 0 { // else the next one does it
			f.reload(ctx)
		}
	}
}

// reload has the client take the map at once. Client.ReloadState would wait up
// to 200 ms, for the sake of servers that it would have to ask; ForEachMaster
// begins with a reload that does not wait.
func (f *follower) reload(ctx context.Context) {
	_ = f.client.ForEachMaster(ctx, func(context.Context, *redis.Client) error { return nil })
}

// clusterSlots is what the client calls for its map. Before there is one, it
// asks a seed, as the client itself would.
func (f *follower) clusterSlots(ctx context.Context) ([]redis.ClusterSlot, error) {
	var slots []redis.ClusterSlot
	for _, r := range f.slots.Ranges() {
		slot := redis.ClusterSlot{Start: r.First, End: r.Last}
		for _, addr := range r.Nodes {
			slot.Nodes = append(slot.Nodes, redis.ClusterNode{Addr: addr})
		}
		slots = append(slots, slot)
	}
	if slots != nil {
		return slots, nil
	}
	var errs error
	for _, addr := range f.seeds {
		seed := f.seed(addr)
		slots, err := seed.ClusterSlots(ctx).Result()
		seed.Close()
		if err == nil {
			return slots, nil
		}
		errs = errors.Join(errs, err)
	}
	return nil, errs
}

func (f *follower) seed(addr string) *redis.Client {
	o := f.client.Options()
	return redis.NewClient(&redis.Options{
		Addr: addr, Protocol: o.Protocol, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig, Dialer: o.Dialer,
	})
}
