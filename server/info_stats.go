package server

import (
	"fmt"
	"strconv"
)

func (t *infoText) stats() {
	s := t.s
	keys := s.keys.Stats(t.now)
	ops, in, out := s.stats.speeds()
	t.line("total_connections_received", s.stats.connections.Load())
	t.line("total_commands_processed", s.stats.commands.Load())
	t.line("instantaneous_ops_per_sec", int64(ops))
	t.line("total_net_input_bytes", s.stats.bytesIn.Load())
	t.line("total_net_output_bytes", s.stats.bytesOut.Load())
	t.lines("total_net_repl_input_bytes:0", "total_net_repl_output_bytes:0")
	t.line("instantaneous_input_kbps", kibibytes(in))
	t.line("instantaneous_output_kbps", kibibytes(out))
	t.lines("instantaneous_input_repl_kbps:0.00", "instantaneous_output_repl_kbps:0.00")
	t.line("rejected_connections", s.stats.rejectedConnections.Load())
	t.lines("sync_full:0", "sync_partial_ok:0", "sync_partial_err:0")
	t.line("expired_keys", keys.Expired)
	t.lines("expired_stale_perc:0.00", "expired_time_cap_reached_count:0")
	t.line("expire_cycle_cpu_milliseconds", s.stats.expireMicros.Load()/1000)
	t.lines("evicted_keys:0", "evicted_clients:0", "total_eviction_exceeded_time:0", "current_eviction_exceeded_time:0")
	t.line("keyspace_hits", keys.Hits)
	t.line("keyspace_misses", keys.Misses)
	t.line("pubsub_channels", s.channels.Names())
	t.line("pubsub_patterns", s.channels.Patterns())
	t.line("pubsubshard_channels", s.channels.ShardNames())
	t.lines("latest_fork_usec:0", "total_forks:0")
	t.line("migrate_cached_sockets", s.targets.idleCount())
	t.lines("slave_expires_tracked_keys:0",
		"active_defrag_hits:0", "active_defrag_misses:0", "active_defrag_key_hits:0", "active_defrag_key_misses:0",
		"total_active_defrag_time:0", "current_active_defrag_time:0")
	t.line("tracking_total_keys", s.caches.table.Keys())
	t.line("tracking_total_items", s.caches.table.Items())
	t.line("tracking_total_prefixes", s.caches.prefixes.Count())
	t.lines("unexpected_error_replies:0")
	t.line("total_error_replies", s.stats.errors.Load())
	t.lines("dump_payload_sanitizations:0")
	t.line("total_reads_processed", s.stats.reads.Load())
	t.line("total_writes_processed", s.stats.writes.Load())
	t.lines("io_threaded_reads_processed:0", "io_threaded_writes_processed:0")
	endings, queryLimit, outputLimit := s.stats.endingCounts()
	t.line("client_query_buffer_limit_disconnections", queryLimit)
	t.line("client_output_buffer_limit_disconnections", outputLimit)
	t.lines("reply_buffer_shrinks:0", "reply_buffer_expands:0")
	for _, e := range endings {
		t.line("closed_clients_"+e.word, e.count)
	}
}

func kibibytes(bytes float64) string { return fmt.Sprintf("%.2f", bytes/1024) }

// eachCommand visits every command that was called or refused.
func (s *Server) eachCommand(visit func(*command)) {
	for _, cmd := range s.commands.all {
		if cmd.stats.used() {
			visit(cmd)
		}
		for _, sub := range cmd.subcommands {
			if sub.stats.used() {
				visit(sub)
			}
		}
	}
}

func (t *infoText) commandStats() {
	t.s.eachCommand(func(cmd *command) {
		st := &cmd.stats
		calls, micros := st.calls.Load(), st.nanos.Load()/1000
		fmt.Fprintf(t, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%s,rejected_calls=%d,failed_calls=%d\r\n",
			cmd.fullName, calls, micros, ratio(micros, calls), st.rejected.Load(), st.failed.Load())
	})
}

func (t *infoText) errorStats() {
	for _, e := range t.s.stats.errorCounts() {
		fmt.Fprintf(t, "errorstat_%s:count=%d\r\n", e.code, e.count)
	}
}

func (t *infoText) latencyStats() {
	v := t.s.config.Values()
	if !v.LatencyTracking {
		return
	}
	t.s.eachCommand(func(cmd *command) {
		counts, total := cmd.stats.latency.counts()
		if total == 0 {
			return
		}
		t.WriteString("latency_percentiles_usec_" + cmd.fullName + ":")
		for i, p := range v.LatencyPercentiles {
			if i > 0 {
				t.WriteByte(',')
			}
			nanos := percentile(counts, total, p)
			fmt.Fprintf(t, "p%s=%.3f", strconv.FormatFloat(p, 'f', -1, 64), float64(nanos)/1000)
		}
		t.WriteString("\r\n")
	})
}
