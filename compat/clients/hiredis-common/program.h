/* What the programs of hiredis and libvalkey have in common: their arguments
 * and their lines. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "library.h"

struct task {
    const char *name; /* subscribe, keys or load */
    char host[256];
    int port;
    const char *addr;
    int resp3;
    int cluster;
    char **channels; /* or the mode of a load */
    int channel_count;
};

/* Reads the command line, or ends the program. */
struct task read_task(int argc, char **argv);

/* Prints what a subscriber is handed: the line of a confirmation, a message
 * or a message by a pattern. */
void print_received(const redisReply *reply);

/* Prints an error of the library as its user gets it, and ends the program. */
void fail(const char *text);

/* Ends the program at the end of its standard input, while something else
 * blocks. */
void end_with_stdin(void);

/* SUBSCRIBE, or PSUBSCRIBE, with all channels, as an argument vector. */
const char **subscribe_command(const struct task *task, int *count);

#endif
