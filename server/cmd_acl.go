package server

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// aclCommands are what can be said of one user who may do everything: there
// are no others, and none can be made.
func aclCommands() []command {
	const f = noScript | loading | stale
	return []command{{name: "acl", arity: -2, group: "server", since: "6.0.0", subcommands: []*command{
		{name: "cat", arity: -2, flags: f, since: "6.0.0", handler: aclCat},
		{name: "genpass", arity: -2, flags: f, since: "6.0.0", handler: aclGenPass},
		{name: "help", arity: 2, flags: loading | stale, since: "6.0.0", handler: help(aclHelp)},
		{name: "users", arity: 2, flags: f | admin, since: "6.0.0", handler: aclUsers},
		{name: "whoami", arity: 2, flags: f, since: "6.0.0", handler: aclWhoAmI},
	}}}
}

var aclHelp = []string{
	"ACL <subcommand> [argument ...], where <subcommand> is one of:",
	"CAT [category]",
	"    List the categories of commands, or the commands of one.",
	"GENPASS [bits]",
	"    Print a random password, of 256 bits by default.",
	"USERS",
	"    List the users: there is the default one.",
	"WHOAMI",
	"    Print the name of this connection's user.",
	"HELP",
	"    Print this text.",
}

func aclCat(cl *call) {
	switch len(cl.args) {
	case 2:
		cl.reply.Array(len(categoryNames))
		for _, c := range categoryNames {
			cl.reply.BulkString(strings.TrimPrefix(c.name, "@"))
		}
	case 3:
		name := "@" + strings.ToLower(cl.str(2))
		var names []string
		for _, cmd := range cl.server.commands.all {
			if cmd.inCategory(name) {
				names = append(names, cmd.fullName)
			}
			for _, sub := range cmd.subcommands {
				if sub.inCategory(name) {
					names = append(names, sub.fullName)
				}
			}
		}
		if names == nil && !knownCategory(name) {
			cl.fail(errUnknownCategory(cl.args[2]))
			return
		}
		cl.reply.Strings(names)
	default:
		cl.fail(errSubcommandSyntax("acl", cl.str(1)))
	}
}

func knownCategory(name string) bool {
	for _, c := range categoryNames {
		if c.name == name {
			return true
		}
	}
	return false
}

func aclGenPass(cl *call) {
	bits := int64(256)
	if len(cl.args) > 3 {
		cl.fail(errSubcommandSyntax("acl", cl.str(1)))
		return
	}
	if len(cl.args) == 3 {
		n, ok := parseInt(cl.args[2])
		if !ok {
			cl.fail(errNotInteger)
			return
		}
		if n < 1 || n > 4096 {
			cl.fail(errGenPassBits)
			return
		}
		bits = n
	}
	// Four bits are a hexadecimal digit.
	digits := int(bits+3) / 4
	b := make([]byte, (digits+1)/2)
	rand.Read(b) // never fails
	cl.reply.BulkString(hex.EncodeToString(b)[:digits])
}

func aclUsers(cl *call) { cl.reply.Strings([]string{"default"}) }

func aclWhoAmI(cl *call) { cl.reply.BulkString("default") }
