package server

func setAsking(cl *call) {
	cl.conn.asking = true
	cl.reply.OK()
}

func setReadonly(cl *call) {
	cl.conn.readonly = true
	cl.conn.alter(func(id *identity) { id.readonly = true })
	cl.reply.OK()
}

func setReadWrite(cl *call) {
	cl.conn.readonly = false
	cl.conn.alter(func(id *identity) { id.readonly = false })
	cl.reply.OK()
}
