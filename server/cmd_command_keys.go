package server

// usedKey is a key among a command's arguments, and what the command does to
// it.
type usedKey struct {
	index int
	flags keyFlags
}

// keysOf lists the keys among the arguments. It is not ok when the arguments
// make no sense as to where the keys are.
func (cmd *command) keysOf(args [][]byte) (keys []usedKey, ok bool) {
	if cmd.findKeys != nil {
		return cmd.findKeys(args)
	}
	for i := range cmd.keys {
		k := &cmd.keys[i]
		if k.flags&keyNotKey != 0 || k.unknown {
			continue
		}
		first, last, step, found := k.find(args)
		if !found {
			if k.flags&keyIncomplete != 0 || k.keyword != "" {
				continue
			}
			return nil, false
		}
		for at := first; at <= last; at += step {
			keys = append(keys, usedKey{at, k.flags})
		}
	}
	return keys, true
}

// takesKeys tells a command with keys from one without, or with channels that
// only hash like keys.
func (cmd *command) takesKeys() bool {
	for i := range cmd.keys {
		if cmd.keys[i].flags&keyNotKey == 0 {
			return true
		}
	}
	return false
}

// lookupKeys finds the keys of the command that COMMAND GETKEYS is given.
func lookupKeys(cl *call) ([]usedKey, error) {
	args := cl.args[2:]
	cmd, err := cl.server.commands.lookup(args)
	switch {
	case err != nil:
		return nil, errNoSuchCommand
	case !cmd.takesKeys():
		return nil, errTakesNoKeys
	case !cmd.accepts(len(args)):
		return nil, errCommandArity
	}
	keys, ok := cmd.keysOf(args)
	if !ok || len(keys) == 0 && cmd.flags&noMandatoryKeys == 0 {
		return nil, errCommandArguments
	}
	return keys, nil
}

func commandGetKeys(cl *call) {
	keys, err := lookupKeys(cl)
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.Array(len(keys))
	for _, k := range keys {
		cl.reply.Bulk(cl.args[2+k.index])
	}
}

func commandGetKeysAndFlags(cl *call) {
	keys, err := lookupKeys(cl)
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.Array(len(keys))
	for _, k := range keys {
		cl.reply.Array(2)
		cl.reply.Bulk(cl.args[2+k.index])
		appendNames(cl.reply, (k.flags &^ keyVariable).names())
	}
}

// setKeys are the keys of SET: with GET it reads the value that it replaces.
func setKeys(args [][]byte) ([]usedKey, bool) {
	for _, a := range args[3:] {
		if is(a, "get") {
			return []usedKey{{1, keyRW | keyAccess | keyUpdate}}, true
		}
	}
	return []usedKey{{1, keyOW | keyUpdate}}, true
}

// bitfieldKeys are the keys of BITFIELD: with nothing but GET it only reads.
func bitfieldKeys(args [][]byte) ([]usedKey, bool) {
	for i := 2; i < len(args); {
		switch left := len(args) - i - 1; {
		case is(args[i], "get") && left >= 2:
			i += 3
		case is(args[i], "overflow") && left >= 1:
			i += 2
		default:
			return []usedKey{{1, keyRW | keyAccess | keyUpdate}}, true
		}
	}
	return []usedKey{{1, keyRO | keyAccess}}, true
}
