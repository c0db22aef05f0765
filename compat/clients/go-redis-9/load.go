package main

import (
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	driver "slotcast/compat/clients/go-common"
	"slotcast/examples/go-redis/slots"
)

func load(addr, resp, mode string) (driver.Store, error) {
	protocol, err := strconv.Atoi(resp)
	if err != nil {
		return nil, err
	}
	options := &redis.ClusterOptions{
		Addrs: []string{addr}, Protocol: protocol,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	switch mode {
	case "off":
		return client{redis.NewClusterClient(options)}, nil
	case "on":
		c, err := slots.NewClusterClient(options, nil)
		return client{c}, err
	case "smigrated":
		options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeEnabled}
		return client{redis.NewClusterClient(options)}, nil
	}
	return nil, fmt.Errorf("no such mode: %s", mode)
}
