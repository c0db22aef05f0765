/* The cluster client of libvalkey; hiredis has none. */
#ifndef LIBVALKEY_CLUSTER_H
#define LIBVALKEY_CLUSTER_H

#include "program.h"

/* A connection to one node that the cluster client found, to subscribe on. */
redisContext *cluster_subscriber(const struct task *task);

void cluster_keys(const struct task *task);

#endif
