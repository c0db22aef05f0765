package sim

import "slotcast/clusterstate"

// texts holds one copy of each id and address: each of a thousand machines
// reads them all from its own disk.
type texts map[string]string

func (t texts) one(s string) string {
	if kept, known := t[s]; known {
		return kept
	}
	t[s] = s
	return s
}

// share lets a nodes.conf use the copies.
func (t texts) share(conf *clusterstate.NodesConf) {
	for i := range conf.Nodes {
		line := &conf.Nodes[i]
		line.ID = clusterstate.NodeID(t.one(string(line.ID)))
		line.Primary = clusterstate.NodeID(t.one(string(line.Primary)))
		line.ShardID = t.one(line.ShardID)
		line.IP = t.one(line.IP)
		line.Hostname = t.one(line.Hostname)
	}
}
