package config

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxLocalCluster bounds --local-cluster: every node has two links to every
// other, all of them in one process.
const MaxLocalCluster = 64

// localPort is the port of the first node of a local cluster if none is given.
// It is not 6379, where whoever tries this may well run a server already.
const localPort = "7001"

// oneNodes are directives that would make the nodes of a local cluster take
// from each other what can belong to one alone.
var oneNodes = []string{
	"cluster-config-file", "cluster-port", "cluster-announce-port", "cluster-announce-tls-port",
	"cluster-announce-bus-port", "unixsocket",
}

// takeLocalCluster takes --local-cluster out of the lines of the command line.
// It is an order to the program and no directive: a file cannot have it.
func (c *commandLine) takeLocalCluster() (nodes int, err error) {
	for i, line := range c.lines {
		words, ok := split(trimLine(line))
		if !ok || len(words) == 0 || !strings.EqualFold(words[0], "local-cluster") {
			continue
		}
		if len(words) == 2 {
			nodes, err = strconv.Atoi(words[1])
		}
		if len(words) != 2 || err != nil || nodes < 1 || nodes > MaxLocalCluster {
			at := place{source: "the command line", number: i + 1, text: trimLine(line)}
			return 0, at.wrong(fmt.Sprintf("--local-cluster takes the number of nodes, from 1 to %d", MaxLocalCluster))
		}
		c.lines[i] = "" // the others keep their numbers
	}
	return nodes, nil
}

// checkLocalCluster refuses what a number of nodes in one process cannot share.
func (l *loader) checkLocalCluster(nodes int) error {
	for _, name := range oneNodes {
		if at, given := l.set[rows[name]]; given {
			return at.wrong("--local-cluster starts several nodes, and this would be the same for all of them")
		}
	}
	t := textsReader(l.texts)
	port := t.int("port")
	if port == 0 {
		return l.wrong("port", "--local-cluster needs a port; its nodes listen there and above")
	}
	if last := port + nodes - 1; last+busPortOffset > 65535 {
		return l.wrong("port", fmt.Sprintf("Redis port number too high: the last of the %d nodes would have port %d, and its cluster bus %d above it",
			nodes, last, busPortOffset))
	}
	return nil
}

// LocalCluster is how many nodes --local-cluster asks for, 0 if it was not
// given.
func (c *Config) LocalCluster() int { return c.localCluster }

// Given tells whether a directive was set, in a file or on the command line, when
// the configuration was loaded.
func (c *Config) Given(name string) bool { return c.given[name] }

// ForNode is the configuration of one node of a local cluster, from 0: a copy
// with a port of its own. It is not of the file, where there is one port, so
// CONFIG REWRITE is refused.
func (c *Config) ForNode(i int) *Config {
	s := c.now.Load()
	port := rows["port"]
	node := &Config{given: c.given}
	s = s.withTexts(map[int]string{port: strconv.Itoa(s.values.Port + i)})
	s = s.withTexts(map[int]string{rows["cluster-config-file"]: defaultClusterFile(s.texts)})
	node.now.Store(s)
	return node
}
