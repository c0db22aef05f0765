package server

func introspectionCommands() []command { return nil }
