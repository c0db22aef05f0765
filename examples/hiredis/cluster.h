/* Commands with one key, sent to the node that a slot map names. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "slotmap.h"

struct link {
    const struct node *node;
    redisContext *context;
};

/* A cluster is of one thread, as a redisContext is; any number of them share a
 * map. */
struct cluster {
    struct slot_map *map;
    int reload;       /* take the whole map at each MOVED, for a map that nobody follows */
    long redirects;   /* MOVED and ASK so far */
    char error[256];  /* of the last command that had no reply */
    struct link *links;
    size_t link_count;
};

void cluster_init(struct cluster *cluster, struct slot_map *map);

void cluster_free(struct cluster *cluster);

/* Runs a command whose first key is argv[1], following MOVED and ASK, and
 * returns the reply, or NULL with the error's text in cluster->error. */
redisReply *cluster_command(struct cluster *cluster, int argc, const char **argv);

#endif
