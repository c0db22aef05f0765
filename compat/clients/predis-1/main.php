<?php
// Drives predis; package compat says what it is asked to do and what it
// prints.

require 'Predis/Autoloader.php';
require __DIR__ . '/../php-common/subscriber.php';

Predis\Autoloader::register();

[, $task, $addr, , $kind] = $argv;
$channels = array_slice($argv, 5);

$node = "tcp://$addr?read_write_timeout=0"; // no limit to reading
$client = $kind === 'cluster' ? new Predis\Client([$node], ['cluster' => 'redis']) : new Predis\Client($node);

if ($task === 'keys') {
    keys($client);
    exit;
}

run(function () use ($client, $addr, $kind, $channels) {
    if ($kind === 'cluster') {
        // The cluster client refuses to subscribe and offers this instead.
        $client = $client->getClientFor($addr);
    }
    $sub = $client->pubSubLoop();
    if (str_contains($channels[0], '*')) {
        $sub->psubscribe(...$channels);
    } else {
        $sub->subscribe(...$channels);
    }
    foreach ($sub as $message) {
        if ($message->kind === 'message') {
            say('message', [$message->channel], $message->payload);
        } elseif ($message->kind === 'pmessage') {
            say('pmessage', [$message->pattern, $message->channel], $message->payload);
        } else {
            echo "subscribed $message->channel\n";
        }
    }
}, $channels, null);
