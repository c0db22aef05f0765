package server

func genericCommands() []command { return nil }
