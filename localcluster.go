package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"

	"slotcast/config"
	"slotcast/localcluster"
)

// runLocalCluster is the rest of run where --local-cluster asks for several
// nodes.
func runLocalCluster(c *config.Config, handler *lineHandler, signals <-chan os.Signal) error {
	log := slog.New(handler)
	var started atomic.Bool
	fatal := make(chan error, 1)
	cluster, err := localcluster.Start(localcluster.Options{
		Config: c, Version: version, DrainTime: drainTime,
		Log: func(node *config.Config) *slog.Logger {
			level := startLevel{currentLevel{node}, &started}
			return slog.New(handler.withLevel(level)).With("node", node.Values().Port)
		},
		Fatal: func(err error) {
			select {
			case fatal <- err:
			default:
			}
		},
	})
	if err != nil {
		return err
	}
	removePid, err := writePidFile(c.Values())
	if err != nil {
		log.Warn("the pid file could not be written", "error", err)
	}
	defer removePid()
	greetLocalCluster(log, c, cluster.Nodes())
	started.Store(true)

	end := func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		cluster.Close(ctx)
	}
	select {
	case err := <-fatal:
		log.Error("a node cannot go on", "error", err)
		return err
	case sig := <-signals:
		log.Info("received a signal, shutting down all nodes", "signal", sig.String())
		end()
	case <-cluster.Done():
		log.Info("all nodes were shut down by clients")
		end()
	}
	log.Info(farewell)
	return nil
}

// startLevel keeps the nodes from telling all at once what each usually tells at
// its start: the greeting says it in a line for each.
type startLevel struct {
	currentLevel
	started *atomic.Bool
}

func (l startLevel) Level() slog.Level {
	level := l.currentLevel.Level()
	if level == levelNotice && !l.started.Load() {
		return slog.LevelWarn
	}
	return level
}

// greetLocalCluster says who is there and what to try, in lines to copy.
func greetLocalCluster(log *slog.Logger, c *config.Config, nodes []localcluster.Node) {
	for _, n := range nodes {
		log.Info(fmt.Sprintf("%s  node %s, %s", n.Addr, n.ID, n.Slots))
	}
	where := "the cluster files are in " + c.Values().Dir
	if !c.Given("dir") {
		where = "all is forgotten at the end"
	}
	log.Info(fmt.Sprintf("Ready to accept connections: a cluster of %d nodes, %s", len(nodes), where))

	first, last := nodes[0], nodes[len(nodes)-1]
	pass := ""
	if c.Values().RequirePass != "" {
		pass = " -a PASSWORD"
	}
	cli := func(n localcluster.Node) string {
		host, port, _ := net.SplitHostPort(n.Addr)
		if host == "127.0.0.1" {
			return "redis-cli" + pass + " -p " + port
		}
		return "redis-cli" + pass + " -h " + host + " -p " + port
	}
	log.Info("Keys:   " + cli(first) + " -c SET greeting hello")
	log.Info("Listen: " + cli(last) + " SUBSCRIBE __cluster-slots__")
	if len(nodes) == 1 {
		log.Info("Change: " + cli(first) + " CLUSTER DELSLOTS 5461, then ADDSLOTS 5461")
		return
	}
	host, port, _ := net.SplitHostPort(first.Addr)
	entry := host + ":" + port // redis-cli wants an IPv6 address like that
	log.Info("Move:   " + strings.Join([]string{
		"redis-cli" + pass, "--cluster reshard", entry, "--cluster-from", first.ID, "--cluster-to", nodes[1].ID,
		"--cluster-slots 10 --cluster-yes",
	}, " "))
}
