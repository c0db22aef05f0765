package clustertest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// TestMixedCluster operates a cluster of slotcast nodes and redis-servers, and
// moves slots in all four directions while they are in use.
func TestMixedCluster(t *testing.T) {
	redistest.Bin(t, "redis-server")
	const primaries = 4
	kinds := []kind{slotcast, redis, slotcast, redis, slotcast, redis}
	s := newSession(t, launchAll(t, kinds, append(nodeTimeout, "--cluster-allow-replica-migration", "no")...))
	ours, theirs, ours2, theirs2 := s.nodes[0], s.nodes[1], s.nodes[2], s.nodes[3]
	guests := s.nodes[primaries:]
	s.create(primaries)

	inUse := []int{}
	for i := range primaries {
		start, _ := share(i, primaries)
		for slot := range 40 {
			inUse = append(inUse, start+slot)
		}
	}
	s.setSamples(inUse)
	load := startLoad(t, theirs2, inUse)
	for _, move := range []struct {
		name     string
		from, to *node
	}{
		{"slotcast to slotcast", ours, ours2},
		{"slotcast to redis", ours, theirs},
		{"redis to redis", theirs2, theirs},
		{"redis to slotcast", theirs2, ours},
		{"redis to the other slotcast", theirs2, ours2},
		{"slotcast to the other redis", ours2, theirs2},
	} {
		s.reshard(move.name, move.from, move.to, 12)
		s.agree()
	}
	s.halfMove(ours2, theirs, inUse[2*40+30], load)
	s.halfMove(theirs, ours, inUse[1*40+30], load)

	// Each kind asks the other for its functions, in payloads of its own.
	s.add("add slotcast by redis", guests[0], theirs)
	s.add("add redis by slotcast", guests[1], ours)
	s.run("rebalance", 0, "rebalance", ours.addr, "--cluster-use-empty-masters",
		"--cluster-weight", guests[0].id+"=0.01", guests[1].id+"=0.01")
	s.agree()
	load.stop()
	s.checkSamples()

	s.fixOpenSlots(theirs, ours2, inUse[2*40+35])
	s.fixOpenSlots(ours, theirs2, inUse[3*40+38])
	s.fixUncovered(ours, theirs2)
	s.importKeys(ours)
	s.remove("remove slotcast by redis", guests[0], theirs)
	s.remove("remove redis by slotcast", guests[1], ours)
	for _, n := range []*node{theirs, theirs2, guests[1]} {
		require.Contains(t, n.logText(), "Cluster state changed: ok")
		require.Empty(t, noteworthy(n), n.addr)
	}
}

// samples are values of each encoding that a payload may have, and one that
// will expire.
func samples(slot int) map[string]string {
	tag := "{" + tagIn(slot) + "}"
	return map[string]string{
		tag + "integer":      strconv.Itoa(slot - 8000),
		tag + "compressible": strings.Repeat(tag+"abc", 3000),
		tag + "binary":       string([]byte{0, 255, '\r', '\n', byte(slot)}),
		tag + "empty":        "",
	}
}

// setSamples writes them in the slots that are moved.
func (s *session) setSamples(inUse []int) {
	s.t.Helper()
	for _, slot := range inUse {
		for key, value := range samples(slot) {
			require.Equal(s.t, "OK", s.anywhere(s.nodes[0], "SET", key, value))
		}
		require.Equal(s.t, "OK", s.anywhere(s.nodes[0], "SET", "{"+tagIn(slot)+"}mortal", "x", "EX", "10000"))
	}
	s.sampled = inUse
}

func (s *session) checkSamples() {
	s.t.Helper()
	for _, slot := range s.sampled {
		for key, value := range samples(slot) {
			require.Equal(s.t, value, s.anywhere(s.nodes[0], "GET", key), key)
		}
		require.InDelta(s.t, 10000, s.anywhere(s.nodes[0], "TTL", "{"+tagIn(slot)+"}mortal"), 300)
	}
}

// ordinary are the warnings that a redis-server among its own kind logs as
// well.
var ordinary = regexp.MustCompile(strings.Join([]string{
	`oO0OoO0`, `Redis version=`, `Configuration loaded`, `Server initialized`, `WARNING.*[Mm]emory`, `WARNING: The TCP backlog`,
	`IP address for this node updated`, `configEpoch set to \d+ via`, `New configEpoch set to \d+`, `Cluster state changed: `,
	`configEpoch updated after importing slot`,
}, "|"))

var warning = regexp.MustCompile(`^\d+:\S+ .* # `)

// noteworthy returns the warnings in a redis-server's log that speak of
// something out of the ordinary.
func noteworthy(n *node) (lines []string) {
	for line := range strings.Lines(n.logText()) {
		if warning.MatchString(line) && !ordinary.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
