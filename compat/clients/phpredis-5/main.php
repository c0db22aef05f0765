<?php
// Drives phpredis; package compat says what it is asked to do and what it
// prints.

require __DIR__ . '/../php-common/subscriber.php';

[, $task, $addr, , $kind] = $argv;
$channels = array_slice($argv, 5);

function connect(string $addr, string $kind)
{
    if ($kind === 'cluster') {
        return new RedisCluster(null, [$addr], 5, 0); // no limit to reading
    }
    [$host, $port] = explode(':', $addr);
    $client = new Redis();
    $client->connect($host, (int) $port, 5);
    $client->setOption(Redis::OPT_READ_TIMEOUT, -1);
    return $client;
}

function single(string $addr): Redis
{
    return connect($addr, 'single');
}

if ($task === 'keys') {
    keys(connect($addr, $kind));
    exit;
}

// Its users do not see confirmations: whether there are some is asked on a
// connection to each node that a cluster client may have chosen.
$nodes = [];
$subscribed = function () use (&$nodes, $addr, $kind, $channels): bool {
    if (!$nodes) {
        $addrs = $kind === 'single' ? [$addr]
            : array_map(fn($node) => implode(':', $node), connect($addr, $kind)->_masters());
        $nodes = array_map('single', $addrs);
    }
    foreach ($nodes as $node) {
        if (str_contains($channels[0], '*')) {
            if ($node->pubsub('numpat') >= count($channels)) {
                return true;
            }
        } elseif (min($node->pubsub('numsub', $channels)) > 0) {
            return true;
        }
    }
    return false;
};

run(function () use ($addr, $kind, $channels) {
    $client = connect($addr, $kind);
    if (str_contains($channels[0], '*')) {
        $client->psubscribe($channels, function ($client, $pattern, $channel, $message) {
            say('pmessage', [$pattern, $channel], $message);
        });
    } else {
        $client->subscribe($channels, function ($client, $channel, $message) {
            say('message', [$channel], $message);
        });
    }
}, $channels, $subscribed);
