// Package gossip is this node as the cluster knows it: a state machine that
// turns commands, the frames of the cluster bus and the passing of time into the
// next view of the map.
//
// It follows the protocol of Redis Cluster as of 7.0, 7.2 and 8 and of Valkey 8
// and 9. Where these differ it does what leaves a mixed cluster healthy: it
// takes the newer rule where that is the stricter one (who may report a failure
// or claim slots), and sends to each peer only what that peer is known to read.
// This node is always a primary, since it has no replication; suitors.go says
// what that means for those who would be its replicas.
//
// Node is pure. Time comes in with every call (monotonic and wall time apart),
// randomness comes from a seed given at construction, and everything that is to
// happen comes out as one Output, which says in which order it is to be
// applied. It starts no goroutine, reads no clock, touches no file and no
// socket. The same inputs at the same times always give the same outputs.
//
// A Node belongs to one goroutine, the owner. Views and outputs, once given
// out, may be read by all.
package gossip
