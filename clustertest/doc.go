// Package clustertest holds slotcast against clusters of real processes on
// loopback: of slotcast nodes alone, and of slotcast and redis-server together.
//
// It builds the program, starts as many nodes as a test wants, and does to them
// what operators do: with redis-cli --cluster, with CLUSTER commands, and by
// killing processes. Meanwhile a load writes and reads through redirects and
// remembers what was acknowledged, and subscribers apply the rows that they are
// pushed to the map they began with. What redis-server does in the same place
// is the judge: the tool's conversation with a cluster of slotcast nodes is
// compared with the one it has with redis-servers.
//
// With -reshard the load lives through a longer reshard than a test of every
// change has time for.
//
// Nothing sleeps: what takes time is asked for until it is so, within a
// deadline that is reached only when something is broken. Processes end with
// the test that started them. Without redis-server and redis-cli the tests say
// what they lack and are left out, as is what runs with the newer servers that
// .ci/servers fetches; with CI=true in the environment that is a failure.
package clustertest
