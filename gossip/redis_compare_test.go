package gossip

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

var (
	nodeTimes  = regexp.MustCompile(` (\S+) \d+ \d+ (\d+) (?:dis)?connected`)
	notTheSame = regexp.MustCompile(`(?m)^(cluster_(state|size|stats_\w+)|total_\w+):.*\r\n`)
)

// normalNodes takes the times out of a NODES text, and the state of the links,
// which Redis calls connected while it tries; and sorts it.
func normalNodes(s string) []string {
	lines := strings.Split(nodeTimes.ReplaceAllString(s, " $1 T T $2 L"), "\n")
	slices.Sort(lines)
	return lines
}

func compare(t *testing.T, r *real, o *ours, words []string) {
	t.Helper()
	require.Equal(t, r.cluster(words...), o.cluster(words...), "%q", words)
	require.Equal(t, normalNodes(r.cluster("nodes")), normalNodes(o.cluster("nodes")), "%q", words)
	require.Equal(t, r.cluster("slots"), o.cluster("slots"), "%q", words)
}

// compareRest compares what the commands of one sequence alter last.
func compareRest(t *testing.T, r *real, o *ours) {
	t.Helper()
	require.Equal(t, notTheSame.ReplaceAllString(r.cluster("info"), ""), notTheSame.ReplaceAllString(o.cluster("info"), ""))
	list := []string{}
	for _, shard := range r.do("cluster", "shards").([]any) {
		list = append(list, fmt.Sprint(shard))
	}
	slices.Sort(list)
	require.Equal(t, fmt.Sprint(list), o.cluster("shards"))
	for _, c := range "abcdz" {
		id := string(id(string(c)))
		require.Equal(t, normalNodes(r.cluster("replicas", id)), normalNodes(o.cluster("replicas", id)))
		require.Equal(t, r.cluster("count-failure-reports", id), o.cluster("count-failure-reports", id))
	}
}

// TestCommandsAgainstRedis gives the same random commands to a redis-server
// and to this node, both with nodes.conf as above: replies, NODES and SLOTS
// are the same after each of them.
func TestCommandsAgainstRedis(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r, o := startReal(t, sharedConf), startOurs(t, sharedConf)
			random := rand.New(rand.NewPCG(seed, 11))
			for range 250 {
				compare(t, r, o, randomWords(random))
			}
			compareRest(t, r, o)

			// What Redis wrote is read here as the same cluster.
			require.Equal(t, "OK", r.cluster("saveconfig"))
			text, err := os.ReadFile(r.conf)
			require.NoError(t, err)
			again := startOurs(t, string(text))
			require.Equal(t, normalNodes(r.cluster("nodes")), normalNodes(again.cluster("nodes")))

			for _, words := range [][]string{{"reset"}, {"bumpepoch"}, {"addslotsrange", "0", "16383"}, {"flushslots"}} {
				compare(t, r, o, words)
			}
			compareRest(t, r, o)
			require.Equal(t, r.cluster("reset", "hard"), o.cluster("reset", "hard"))
			theirs, mine := r.cluster("myid"), string(o.node.View().Myself().ID)
			require.Equal(t, normalNodes(strings.ReplaceAll(r.cluster("nodes"), theirs, mine)), normalNodes(o.cluster("nodes")))
			require.Equal(t, r.cluster("set-config-epoch", "7"), o.cluster("set-config-epoch", "7"))
			require.Equal(t, r.cluster("bumpepoch"), o.cluster("bumpepoch"))
		})
	}
}

// randomWords is a command with arguments that are often good.
func randomWords(random *rand.Rand) []string {
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	slot := func() string {
		if random.IntN(25) == 0 {
			return pick("16384", "-1", "abc", "05", "", "+1", "99999999999999999999", " 1")
		}
		return strconv.Itoa(random.IntN(320))
	}
	node := func() string {
		return expandIDs(pick("<a>", "<a>", "<b>", "<b>", "<c>", "<c>", "<d>", "<z>", "zzz", strings.ToUpper(strings.Repeat("a", 40))))
	}
	slots := func(name string) []string {
		words := []string{name}
		for range 1 + random.IntN(3) {
			words = append(words, slot())
		}
		return words
	}
	ranges := func(name string) []string {
		words := []string{name}
		for range 1 + random.IntN(2) {
			start := random.IntN(340)
			words = append(words, strconv.Itoa(start), strconv.Itoa(start+random.IntN(6)))
			if random.IntN(8) == 0 {
				words[len(words)-1] = slot()
			}
		}
		return words
	}
	switch random.IntN(14) {
	case 0, 1:
		return slots("addslots")
	case 2:
		return slots("delslots")
	case 3:
		return ranges("addslotsrange")
	case 4:
		return ranges("delslotsrange")
	case 5, 6:
		return []string{"setslot", slot(), pick("migrating", "MIGRATING"), node()}
	case 7:
		return []string{"setslot", slot(), "importing", node()}
	case 8:
		return []string{"setslot", slot(), "stable"}
	case 9, 10, 11:
		return []string{"setslot", slot(), "node", node()}
	case 12:
		if random.IntN(2) == 0 {
			return []string{"set-config-epoch", pick("-5", "3")}
		}
		return []string{pick("bumpepoch", "saveconfig")}
	default:
		return []string{"setslot", slot(), pick("node", "stable", "closed", "migrating"), node(), "x"}[:3+random.IntN(3)]
	}
}

// TestKeysHoldASlotAsInRedis compares the commands that depend on keys.
func TestKeysHoldASlotAsInRedis(t *testing.T) {
	conf := "<a> 127.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-16383\n" +
		"<b> 127.0.0.1:1@2,host-b master - 0 0 9 disconnected\nvars currentEpoch 10 lastVoteEpoch 2\n"
	r, o := startReal(t, conf), startOurs(t, conf)
	tick := time.NewTicker(50 * time.Millisecond) // Redis serves two seconds after its start
	defer tick.Stop()
	for r.do("set", "a", "1") != "OK" {
		<-tick.C
	}
	o.keys[15495] = 1
	b := expandIDs("<b>")
	compare(t, r, o, []string{"setslot", "15495", "migrating", b})
	compare(t, r, o, []string{"setslot", "15495", "node", b})
	compare(t, r, o, []string{"setslot", "15495", "node", expandIDs("<a>")})
	compare(t, r, o, []string{"setslot", "15496", "migrating", b})
	compare(t, r, o, []string{"setslot", "15496", "node", b})
	compare(t, r, o, []string{"flushslots"})
	compare(t, r, o, []string{"reset"})
	compare(t, r, o, []string{"delslots", "15495"})
	compare(t, r, o, []string{"setslot", "15495", "node", b})
	require.Equal(t, "OK", r.do("flushall"))
	delete(o.keys, 15495)
	compare(t, r, o, []string{"setslot", "15495", "node", expandIDs("<a>")})
	compare(t, r, o, []string{"flushslots"})
	compare(t, r, o, []string{"reset"})
}

// keyIn finds a key of the slot.
func keyIn(slot uint16) string {
	for i := 0; ; i++ {
		if key := strconv.Itoa(i); clusterstate.KeySlot([]byte(key)) == slot {
			return key
		}
	}
}

// TestEndpointsAgainstRedis compares what clients are told of nodes under each
// preferred endpoint type, redirects included.
func TestEndpointsAgainstRedis(t *testing.T) {
	conf := "<a> 127.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-99 300-301\n" +
		"<b> 127.0.0.1:1@2,host-b master - 0 0 9 disconnected 100-199\n" +
		"<c> ::1:3@4 master - 0 0 4 disconnected 200-299\nvars currentEpoch 10 lastVoteEpoch 2\n"
	r, o := startReal(t, conf), startOurs(t, conf)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for r.do("set", keyIn(0), "1") != "OK" {
		<-tick.C
	}
	o.node.Tick(at(2 * time.Second))
	o.now = at(2 * time.Second)
	compare(t, r, o, []string{"setslot", "300", "migrating", expandIDs("<c>")})
	for _, hostname := range []string{"", "host-a.example.com"} {
		for name, kind := range map[string]clusterstate.Endpoint{
			"ip": clusterstate.EndpointIP, "hostname": clusterstate.EndpointHostname, "unknown-endpoint": clusterstate.EndpointUnknown,
		} {
			require.Equal(t, "OK", r.do("config", "set", "cluster-announce-hostname", hostname, "cluster-preferred-endpoint-type", name))
			cfg := o.node.Config()
			cfg.AnnounceHostname, cfg.PreferredEndpoint = hostname, kind
			require.NoError(t, o.node.Step(o.now, Configure{cfg}).Reply.Err)
			list := []string{}
			for _, shard := range r.do("cluster", "shards").([]any) {
				list = append(list, fmt.Sprint(shard))
			}
			slices.Sort(list)
			require.Equal(t, fmt.Sprint(list), o.cluster("shards"))
			require.Equal(t, normalNodes(r.cluster("nodes")), normalNodes(o.cluster("nodes")))
			nulls := strings.ReplaceAll(r.cluster("slots"), "<nil>", "")
			require.Equal(t, nulls, o.cluster("slots"))

			v := o.node.View()
			for _, slot := range []uint16{100, 200, 300, 9999} {
				d := clusterstate.Decide(v, clusterstate.Query{Slot: slot, Presence: nothingHeld{}})
				require.Equal(t, r.do("get", keyIn(slot)), d.Text(v, clientVariant))
			}
		}
	}
}

// nothingHeld is the Presence of one key that is not here.
type nothingHeld struct{}

func (nothingHeld) CountKeys() (int, int, bool) { return 0, 1, false }
