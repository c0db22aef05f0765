package config

// Help is the text for --help.
func Help() string {
	return `slotcast is one node of a Redis-compatible cluster. It tells every subscriber
of the channel __cluster-slots__ which slots have moved.

Usage:
  slotcast [file] [--directive value ...] [-]

  file           a redis.conf; its directives carry over
  --directive    any directive of such a file, with its values; wins over the file
  -              reads directives from standard input, after the file
  --local-cluster N
                 starts a cluster of N nodes in one process, to try and to test
                 with, on ports from 7001 or from --port on; it forgets all when
                 it ends, unless --dir says where to keep the cluster files
  -v, --version  prints the version
  -h, --help     prints this text

Without arguments it listens on 127.0.0.1:6379 and owns all 16384 slots.

Examples:
  slotcast --port 7000
  slotcast --local-cluster 3
  slotcast --port 7000 --cluster-enabled yes     starts without slots, to join others
  slotcast /etc/redis/redis.conf --loglevel verbose
  slotcast --bind 127.0.0.1 ::1 --cluster-announce-hostname node-1.example.org
  echo 'maxmemory 128mb' | slotcast -

Directives of slotcast's own:
  --cluster-slots-push yes|no             serve the push of slot changes (yes)
  --cluster-slots-payload auto|row|json   form of its messages (auto: by client)
  --cluster-maint-notifications yes|no    serve CLIENT MAINT_NOTIFICATIONS (yes)
  --ignore-unsupported name[,name]        start in spite of directives that ask
                                          for what this server does not do

A directive that is known and has no effect here is logged once. One that would
protect data, memory or access and cannot, such as appendonly yes, stops the
start unless --ignore-unsupported names it. So does an unknown one, always.
`
}
