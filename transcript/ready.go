package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// server goes over to a fresh process and waits until its cluster is as the
// step says: redis-server takes two seconds for that.
func (p *play) server(s *Step) error {
	if err := p.finish(s); err != nil {
		return err
	}
	addr, err := p.start(s)
	if err != nil {
		return err
	}
	if err := p.serve(addr); err != nil {
		return err
	}
	if s.down {
		return nil
	}
	password := ""
	for i, a := range s.args {
		if a == "--requirepass" && i+1 < len(s.args) {
			password = s.args[i+1]
		}
	}
	return awaitCluster(addr, password)
}

// awaitCluster returns once the cluster's state is ok.
func awaitCluster(addr, password string) error {
	c, err := dial("the runner's", addr)
	if err != nil {
		return err
	}
	if password != "" {
		if _, err := c.ask("AUTH", password); err != nil {
			return err
		}
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); ; <-again.C {
		info, err := c.ask("CLUSTER", "INFO")
		if err != nil {
			return err
		}
		if bytes.Contains(info, []byte("cluster_state:ok")) {
			return unexpected(c.leave())
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the cluster's state is never ok: %s", quote(info))
		}
	}
}

// clean empties the shared server.
func clean(addr string) error {
	c, err := dial("the runner's", addr)
	if err != nil {
		return err
	}
	for _, line := range []string{"FLUSHALL", "CONFIG RESETSTAT", "CONFIG SET notify-keyspace-events ''", "SLOWLOG RESET"} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		reply, err := c.ask(args...)
		if err != nil {
			return err
		}
		if string(reply) != "+OK\r\n" && line != "SLOWLOG RESET" {
			return fmt.Errorf("%s is answered with %s", line, quote(reply))
		}
	}
	return unexpected(c.leave())
}
