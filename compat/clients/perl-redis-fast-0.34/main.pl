# Drives Perl's Redis::Fast; package compat says what it is asked to do and
# what it prints.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../perl-common";
use Redis::Fast;
use program;

program::run('Redis::Fast');
