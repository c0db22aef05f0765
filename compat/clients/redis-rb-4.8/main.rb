# frozen_string_literal: true

# Drives redis-rb; package compat says what it is asked to do and what it
# prints.

require 'json'
require 'redis'

$stdout.sync = true
task, addr, _resp, kind, *channels = ARGV

def connect(addr, kind)
  kind == 'cluster' ? Redis.new(cluster: ["redis://#{addr}"]) : Redis.new(url: "redis://#{addr}")
end

def subscribe(redis, channels)
  Thread.new do
    $stdin.read
    exit!(0) # at once: the subscriber blocks
  end
  if channels.first.include?('*')
    redis.psubscribe(*channels) do |on|
      on.psubscribe { |pattern, _| puts "subscribed #{pattern}" }
      on.pmessage { |pattern, channel, message| puts "pmessage #{pattern} #{channel} #{JSON.generate(message)}" }
    end
  else
    redis.subscribe(*channels) do |on|
      on.subscribe { |channel, _| puts "subscribed #{channel}" }
      on.message { |channel, message| puts "message #{channel} #{JSON.generate(message)}" }
    end
  end
rescue Redis::BaseError => e
  puts "error #{e.message.tr("\r\n", ' ')}"
  exit!(1)
end

redis = connect(addr, kind)
if task == 'keys'
  50.times { |i| redis.set("key:#{i}", i) }
  puts "keys #{(0...50).count { |i| redis.get("key:#{i}") == i.to_s }}"
else
  subscribe(redis, channels)
end
