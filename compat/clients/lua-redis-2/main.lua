-- Drives lua-redis; package compat says what it is asked to do and what it
-- prints.

local cjson = require 'cjson'
local redis = require 'redis'
local socket = require 'socket'

io.stdout:setvbuf('line')

local task, addr = arg[1], arg[2]
local channels = {}
for i = 5, #arg do channels[#channels + 1] = arg[i] end

local host, port = addr:match('^(.*):(%d+)$')
local client = redis.connect(host, tonumber(port))

local function keys()
    for i = 0, 49 do client:set('key:' .. i, i) end
    local right = 0
    for i = 0, 49 do
        if client:get('key:' .. i) == tostring(i) then right = right + 1 end
    end
    print('keys ' .. right)
end

-- What socket.select takes for the standard input, beside sockets.
local stdin = {
    getfd = function() return 0 end,
    dirty = function() return false end,
}

-- Waits for the next message, and ends the program with its standard input.
local function wait()
    local ready = socket.select({ stdin, client.network.socket })
    if ready[stdin] and io.read(1) == nil then os.exit(0) end
    return ready[client.network.socket]
end

local function subscribe()
    local patterns = channels[1]:find('*', 1, true)
    local messages = client:pubsub({ [patterns and 'psubscribe' or 'subscribe'] = channels })
    while true do
        if wait() then
            local message = messages()
            if message.kind == 'message' then
                print('message ' .. message.channel .. ' ' .. cjson.encode(message.payload))
            elseif message.kind == 'pmessage' then
                print('pmessage ' .. message.pattern .. ' ' .. message.channel .. ' ' .. cjson.encode(message.payload))
            else
                print('subscribed ' .. message.channel)
            end
        end
    end
end

local ok, err = pcall(task == 'keys' and keys or subscribe)
if not ok then
    print('error ' .. tostring(err):gsub('%s+', ' '))
    os.exit(1)
end
