<?php
// What the PHP programs have in common: a subscriber blocks for ever, and so
// runs in a process of its own, beside one that watches the standard input.

/** Prints a message as its listener got it. */
function say(string $what, array $names, $payload): void
{
    echo implode(' ', [$what, ...$names, json_encode($payload, JSON_UNESCAPED_SLASHES)]), "\n";
}

/** Those of the streams that can be read, once there are some or time is up. */
function readable(array $streams, ?int $seconds): array
{
    $none = null;
    stream_select($streams, $none, $none, $seconds);
    return $streams;
}

/**
 * Runs $subscribe, which blocks, and ends with the standard input. $subscribed
 * is asked again and again until it is true, for libraries that do not show
 * confirmations to their users; only then what the subscriber says is printed.
 */
function run(callable $subscribe, array $channels, ?callable $subscribed): void
{
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        fclose($ours);
        ob_start(fn($lines) => fwrite($theirs, $lines) === false ? '' : '', 1);
        try {
            $subscribe();
            // No library is meant to return while it has a subscription.
            echo "error subscribe returned\n";
        } catch (Throwable $e) {
            echo 'error ', str_replace(["\r", "\n"], ' ', $e->getMessage()), "\n";
        }
        ob_end_flush();
        exit(1);
    }
    fclose($theirs);
    if ($subscribed) {
        // What the subscriber says comes after the last confirmation too.
        while (!readable([$ours, STDIN], 0) && !$subscribed());
        foreach ($channels as $channel) {
            echo "subscribed $channel\n";
        }
    }
    while (true) {
        foreach (readable([$ours, STDIN], null) as $stream) {
            $text = fread($stream, 65536);
            if ($stream === $ours && $text !== '') {
                echo $text;
            } elseif ($text === '' && feof($stream)) {
                if ($stream === STDIN) {
                    posix_kill($pid, SIGKILL);
                }
                pcntl_waitpid($pid, $status);
                exit($stream === STDIN ? 0 : 1);
            }
        }
    }
}

/** Sets keys of many slots and reads them. */
function keys($client): void
{
    for ($i = 0; $i < 50; $i++) {
        $client->set("key:$i", $i);
    }
    $right = 0;
    for ($i = 0; $i < 50; $i++) {
        $right += $client->get("key:$i") === (string) $i ? 1 : 0;
    }
    echo "keys $right\n";
}
