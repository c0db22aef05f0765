package server

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func (t *infoText) server() {
	s := t.s
	v := s.config.Values()
	build := readBuild()
	now := time.Now()
	uptime := int64(now.Sub(s.started) / time.Second)
	t.line("redis_version", RedisVersion)
	t.line("server_name", "slotcast")
	t.line("slotcast_version", s.version)
	t.line("redis_git_sha1", build.revision)
	t.line("redis_git_dirty", build.dirty)
	t.line("redis_build_id", build.id)
	t.line("redis_mode", "cluster")
	t.line("os", osName())
	t.line("arch_bits", strconv.IntSize)
	t.line("monotonic_clock", "POSIX clock_gettime")
	t.line("multiplexing_api", "epoll") // what Go's poller uses
	t.line("atomicvar_api", "c11-builtin")
	t.line("gcc_version", "0.0.0") // as a Redis built by another compiler
	t.line("process_id", os.Getpid())
	t.line("process_supervised", "no")
	t.line("run_id", s.runID)
	t.line("tcp_port", v.Port)
	t.line("server_time_usec", now.UnixMicro())
	t.line("uptime_in_seconds", uptime)
	t.line("uptime_in_days", uptime/(24*60*60))
	t.line("hz", v.Hz)
	t.line("configured_hz", v.Hz)
	t.line("lru_clock", now.Unix()&(1<<24-1))
	executable, _ := os.Executable()
	t.line("executable", executable)
	t.line("config_file", s.config.File())
	t.line("io_threads_active", 0)
}

// buildFacts tell builds apart.
type buildFacts struct {
	revision string // eight digits, zeros when it is not known
	dirty    int
	id       string
}

func readBuild() buildFacts {
	b := buildFacts{revision: "00000000"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision" && len(setting.Value) >= 8:
			b.revision = setting.Value[:8]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			b.dirty = 1
		}
	}
	h := fnv.New64a()
	h.Write([]byte(info.String()))
	b.id = strconv.FormatUint(h.Sum64(), 16)
	return b
}

// osName is the system with its release and machine, as uname spells them.
func osName() string {
	name := strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:]
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if machine == "" {
		machine = runtime.GOARCH
	}
	return strings.Join(strings.Fields(name+" "+string(release)+" "+machine), " ")
}

func (t *infoText) clients() {
	s := t.s
	in, out := s.stats.recentBuffers()
	t.line("connected_clients", s.conns.len())
	t.line("cluster_connections", 0)
	t.line("maxclients", s.config.Values().MaxClients)
	t.line("client_recent_max_input_buffer", in)
	t.line("client_recent_max_output_buffer", out)
	t.line("blocked_clients", s.stats.blocked.Load())
	t.line("tracking_clients", s.caches.clients.Load())
	t.line("clients_in_timeout_table", 0)
}

// memory gives the Go heap the names of Redis's allocator. Overhead is what is
// no key or value.
func (t *infoText) memory() {
	f := t.s.memory.figures()
	t.human("used_memory", f.used)
	t.human("used_memory_rss", f.rss)
	t.human("used_memory_peak", f.peak)
	t.line("used_memory_peak_perc", percent(f.used, f.peak))
	t.line("used_memory_overhead", f.used-f.keys)
	t.line("used_memory_startup", f.startup)
	t.line("used_memory_dataset", f.keys)
	t.line("used_memory_dataset_perc", percent(f.keys, f.used-f.startup))
	t.line("allocator_allocated", f.used)
	t.line("allocator_active", f.active)
	t.line("allocator_resident", f.resident)
	t.human("total_system_memory", f.system)
	t.lines("used_memory_lua:0", "used_memory_vm_eval:0", "used_memory_lua_human:0B", "used_memory_scripts_eval:0",
		"number_of_cached_scripts:0", "number_of_functions:0", "number_of_libraries:0", "used_memory_vm_functions:0",
		"used_memory_vm_total:0", "used_memory_vm_total_human:0B", "used_memory_functions:0", "used_memory_scripts:0",
		"used_memory_scripts_human:0B")
	t.human("maxmemory", t.s.config.Values().MaxMemory)
	t.line("maxmemory_policy", "noeviction")
	t.ratio("allocator_frag", f.active, f.used)
	t.ratio("allocator_rss", f.resident, f.active)
	t.ratio("rss_overhead", f.rss, f.resident)
	t.line("mem_fragmentation_ratio", ratio(f.rss, f.used))
	t.line("mem_fragmentation_bytes", f.rss-f.used)
	t.lines("mem_not_counted_for_evict:0", "mem_replication_backlog:0", "mem_total_replication_buffers:0", "mem_clients_slaves:0")
	t.line("mem_clients_normal", t.s.stats.clientBytes.Load())
	t.lines("mem_cluster_links:0", "mem_aof_buffer:0")
	t.line("mem_allocator", runtime.Version())
	t.lines("active_defrag_running:0", "lazyfree_pending_objects:0", "lazyfreed_objects:0")
}

// ratio writes how much more a is than b, as a factor and in bytes.
func (t *infoText) ratio(name string, a, b int64) {
	t.line(name+"_ratio", ratio(a, b))
	t.line(name+"_bytes", a-b)
}

func ratio(a, b int64) string { return fmt.Sprintf("%.2f", float64(a)/float64(max(b, 1))) }

func percent(part, whole int64) string {
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(max(whole, 1)))
}

// persistence is that of a Redis which never saved: keys live in memory alone.
func (t *infoText) persistence() {
	t.lines("loading:0", "async_loading:0", "current_cow_peak:0", "current_cow_size:0", "current_cow_size_age:0",
		"current_fork_perc:0.00", "current_save_keys_processed:0", "current_save_keys_total:0",
		"rdb_changes_since_last_save:0", "rdb_bgsave_in_progress:0")
	t.line("rdb_last_save_time", t.s.started.Unix())
	t.lines("rdb_last_bgsave_status:ok", "rdb_last_bgsave_time_sec:-1", "rdb_current_bgsave_time_sec:-1", "rdb_saves:0",
		"rdb_last_cow_size:0", "rdb_last_load_keys_expired:0", "rdb_last_load_keys_loaded:0", "aof_enabled:0",
		"aof_rewrite_in_progress:0", "aof_rewrite_scheduled:0", "aof_last_rewrite_time_sec:-1",
		"aof_current_rewrite_time_sec:-1", "aof_last_bgrewrite_status:ok", "aof_rewrites:0",
		"aof_rewrites_consecutive_failures:0", "aof_last_write_status:ok", "aof_last_cow_size:0",
		"module_fork_in_progress:0", "module_fork_last_cow_size:0")
}

func (t *infoText) replication() {
	t.lines("role:master", "connected_slaves:0", "master_failover_state:no-failover")
	t.line("master_replid", t.s.replicationID.Load())
	t.line("master_replid2", strings.Repeat("0", 40))
	t.lines("master_repl_offset:0", "second_repl_offset:-1", "repl_backlog_active:0")
	t.line("repl_backlog_size", t.s.config.Get("repl-backlog-size")[0][1])
	t.lines("repl_backlog_first_byte_offset:0", "repl_backlog_histlen:0")
}

// cpu gives the main thread, which a Go process does not have, the figures of
// the whole process.
func (t *infoText) cpu() {
	var self, children syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children)
	seconds := func(tv syscall.Timeval) string { return fmt.Sprintf("%d.%06d", tv.Sec, tv.Usec) }
	t.line("used_cpu_sys", seconds(self.Stime))
	t.line("used_cpu_user", seconds(self.Utime))
	t.line("used_cpu_sys_children", seconds(children.Stime))
	t.line("used_cpu_user_children", seconds(children.Utime))
	t.line("used_cpu_sys_main_thread", seconds(self.Stime))
	t.line("used_cpu_user_main_thread", seconds(self.Utime))
}

func (t *infoText) modules() {}

func (t *infoText) cluster() { t.line("cluster_enabled", 1) }

func (t *infoText) keyspace() {
	if st := t.s.keys.Stats(t.now); st.Keys > 0 {
		fmt.Fprintf(t, "db0:keys=%d,expires=%d,avg_ttl=%d\r\n", st.Keys, st.Expiring, st.AverageTTL)
	}
}
