# Drives AnyEvent::Redis; package compat says what it is asked to do and what
# it prints.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../perl-common";
use AnyEvent;
use AnyEvent::Redis;
use program;

$| = 1;
my ($task, $addr, undef, undef, @channels) = @ARGV;
my ($host, $port) = split /:/, $addr;

sub failed {
    print 'error ', join(' ', @_) =~ s/\s+/ /gr, "\n";
    exit 1;
}

sub client { AnyEvent::Redis->new(host => $host, port => $port, on_error => \&failed) }

my $redis = client();
if ($task eq 'keys') {
    my @set = map { $redis->set("key:$_", $_) } 0 .. 49;
    $_->recv for @set;
    my @get = map { $redis->get("key:$_") } 0 .. 49;
    my $right = grep { $get[$_]->recv == $_ } 0 .. 49;
    print "keys $right\n";
    exit;
}

# The library does not wait for confirmations: another connection asks for them.
my $patterns = $channels[0] =~ /\*/;
my $asking = client();

sub ask {
    my $answer = sub {
        my ($reply) = @_;
        my %counts = $patterns ? (patterns => $reply >= @channels) : @$reply;
        return ask() if grep { !$_ } values %counts;
        program::subscribed(@channels);
    };
    $patterns ? $asking->pubsub('numpat', $answer) : $asking->pubsub('numsub', @channels, $answer);
}

if ($patterns) {
    $redis->psubscribe(@channels, sub {
        my ($payload, $channel, $pattern) = @_;
        program::message('pmessage', $pattern, $channel, $payload);
    });
} else {
    $redis->subscribe(@channels, sub {
        my ($payload, $channel) = @_;
        program::message('message', $channel, $payload);
    });
}
ask();

my $end = AE::cv;
my $stdin = AE::io(*STDIN, 0, sub { $end->send unless sysread STDIN, my $text, 512 });
$end->recv;
