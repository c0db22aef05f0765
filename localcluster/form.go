package localcluster

import (
	"crypto/rand"
	"encoding/hex"
	"net/netip"
	"strings"

	"slotcast/clusterstate"
	"slotcast/config"
)

// form returns the nodes.conf of each node of a new cluster. All of them say the
// same but for which node is the reader: the slots are split evenly, and node i
// claims its own at config epoch i+1.
func form(nodes []*config.Config) []clusterstate.NodesConf {
	lines := make([]clusterstate.NodeLine, len(nodes))
	for i, c := range nodes {
		v := c.Values()
		lines[i] = clusterstate.NodeLine{
			ID: clusterstate.NodeID(randomID()), ShardID: randomID(),
			IP: address(v), Hostname: v.AnnounceHostname, Port: v.Port, BusPort: v.BusPort(),
			Flags: clusterstate.LinePrimary, ConfigEpoch: uint64(i + 1),
			Slots: []clusterstate.SlotRange{share(i, len(nodes))},
		}
	}
	confs := make([]clusterstate.NodesConf, len(nodes))
	for i := range confs {
		own := append([]clusterstate.NodeLine(nil), lines...)
		own[i].Flags |= clusterstate.LineMyself
		confs[i] = clusterstate.NodesConf{Nodes: own, CurrentEpoch: uint64(len(nodes))}
	}
	return confs
}

// share is the slots of node i of n, as redis-cli --cluster create deals them.
func share(i, n int) clusterstate.SlotRange {
	first := func(i int) int { return (2*i*clusterstate.Slots + n) / (2 * n) } // rounded
	return clusterstate.SlotRange{Start: uint16(first(i)), End: uint16(first(i+1) - 1)}
}

// address is where the nodes reach each other and clients are sent: what is
// announced, else the first address of bind, else the loopback interface, where
// all of them are in any case.
func address(v *config.Values) string {
	if v.AnnounceIP != "" {
		return v.AnnounceIP
	}
	loopback := "127.0.0.1"
	for i, bind := range v.Bind {
		bind = strings.TrimPrefix(bind, "-")
		if ip, err := netip.ParseAddr(bind); err == nil && !ip.IsUnspecified() {
			return ip.String()
		}
		if i == 0 && (bind == "::*" || bind == "::") {
			loopback = "::1"
		}
	}
	return loopback
}

func randomID() string {
	var b [clusterstate.NodeIDLen / 2]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
