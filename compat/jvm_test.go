package compat

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// jvmLibraries are built by Maven, all in one build.
var jvmLibraries = []library{
	{
		name: "jedis-8", title: "Jedis 8", version: "8.0.2", recipe: "jedis", program: javaProgram,
		protocols: []string{"2", "3"}, load: []string{"off", "on"}, heavy: true,
	},
	{
		name: "lettuce-7", title: "Lettuce 7", version: "7.7.0.RELEASE", recipe: "lettuce", program: javaProgram,
		protocols: []string{"2", "3"}, load: []string{"off", "on"}, heavy: true,
	},
	{
		name: "redisson-4", title: "Redisson 4", version: "4.3.1", program: javaProgram,
		protocols: []string{"2", "3"}, heavy: true,
	},
	{
		name: "vertx-redis-5", title: "Vert.x Redis client 5", version: "5.1.6", program: javaProgram,
		protocols: []string{"2", "3"}, heavy: true,
	},
}

// javaProgram runs what the build has put into the folder of that name.
func javaProgram(t *testing.T, folder string) []string {
	t.Helper()
	name := filepath.Base(folder)
	java, err := exec.LookPath("java")
	if err != nil {
		lacking(t, "java", err)
	}
	return []string{java, "@" + filepath.Join(installed(t, "java", name), "java.args")}
}
