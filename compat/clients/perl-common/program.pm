package program;

# What the Perl programs have in common: the lines, and the loop of the two
# blocking libraries, which have the same methods.

use strict;
use warnings;
use IO::Select;
use JSON::PP;

my $json = JSON::PP->new->allow_nonref;

# No library here shows confirmations. Where the program says itself that they
# have come, with subscribed, what came before that is kept.
my ($subscribed, @early);

sub subscribed {
    $subscribed = 1;
    print "subscribed $_\n" for @_;
    message(@$_) for splice @early;
}

sub message {
    my ($what, @rest) = @_;
    return push @early, [@_] unless $subscribed;
    my $payload = pop @rest;
    print join(' ', $what, @rest, $json->encode($payload)), "\n";
}

# stdin_ended says, without waiting, whether the standard input has ended.
sub stdin_ended {
    my $select = IO::Select->new(\*STDIN);
    return $select->can_read(0) && !sysread(STDIN, my $text, 512);
}

sub keys50 {
    my ($redis) = @_;
    $redis->set("key:$_", $_) for 0 .. 49;
    my $right = grep { $redis->get("key:$_") == $_ } 0 .. 49;
    print "keys $right\n";
}

# run drives Redis or Redis::Fast.
sub run {
    my ($class) = @_;
    my ($task, $addr, undef, undef, @channels) = @ARGV;
    $| = 1;
    my $redis = $class->new(server => $addr);
    if ($task eq 'keys') {
        keys50($redis);
        return;
    }
    eval {
        if ($channels[0] =~ /\*/) {
            $redis->psubscribe(@channels, sub {
                my ($payload, $channel, $pattern) = @_;
                message('pmessage', $pattern, $channel, $payload);
            });
        } else {
            $redis->subscribe(@channels, sub {
                my ($payload, $channel) = @_;
                message('message', $channel, $payload);
            });
        }
        subscribed(@channels); # it has waited for the confirmations
        # Its own timeout lets the loop look at the standard input.
        $redis->wait_for_messages(0.1) until stdin_ended();
        1;
    } or do {
        print 'error ', $@ =~ s/\s+/ /gr, "\n";
        exit 1;
    };
}

1;
