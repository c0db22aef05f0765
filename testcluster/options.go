package testcluster

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Option is something to set before the nodes start.
type Option func(*settings)

type settings struct {
	directives [][]string // name and values
	patience   time.Duration
}

// Directive sets a directive of redis.conf on all nodes, such as
//
//	testcluster.Directive("cluster-require-full-coverage", "no")
//
// What a node is asked by CONFIG SET concerns that node alone.
func Directive(name string, values ...string) Option {
	return func(s *settings) { s.directives = append(s.directives, append([]string{name}, values...)) }
}

// NodeTimeout sets cluster-node-timeout: a node that has not answered for so
// long is suspected, and has failed when most of the primaries say so. It is
// five seconds if nothing is set, which no pause of a busy machine takes for a
// failure; a test that waits for failures asks for less, half a second say.
func NodeTimeout(d time.Duration) Option {
	return Directive("cluster-node-timeout", strconv.FormatInt(d.Milliseconds(), 10))
}

// WaitAtMost sets how long a method waits, for a state of the cluster or for a
// reply, before it fails the test: half a minute if nothing is set.
func WaitAtMost(d time.Duration) Option {
	return func(s *settings) { s.patience = d }
}

// chosen are the directives that belong to Start.
var chosen = []string{"port", "bind", "dir", "logfile", "pidfile", "daemonize", "local-cluster"}

// arguments are the words of the command line for so many nodes.
func (s *settings) arguments(nodes, port int) (args []string, refused string) {
	args = []string{"--cluster-node-timeout", "5000"}
	for _, d := range s.directives {
		if slices.Contains(chosen, strings.ToLower(d[0])) {
			return nil, d[0]
		}
		args = append(append(args, "--"+d[0]), d[1:]...)
	}
	return append(args, "--bind", loopback, "--port", strconv.Itoa(port), "--local-cluster", strconv.Itoa(nodes)), ""
}
