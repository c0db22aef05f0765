#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define REDIRECTS 8 /* as many as a command may meet */

void cluster_init(struct cluster *cluster, struct slot_map *map) {
    memset(cluster, 0, sizeof(*cluster));
    cluster->map = map;
}

void cluster_free(struct cluster *cluster) {
    for (size_t i = 0; i < cluster->link_count; i++)
        redisFree(cluster->links[i].context);
    free(cluster->links);
}

/* The connection to a node; with an error in it if there is none. */
static redisContext *link_to(struct cluster *cluster, const struct node *node) {
    struct link *link = cluster->links;
    struct link *end = link + cluster->link_count;
    while (link < end && link->node != node)
        link++;
    if (link == end) {
        cluster->links = realloc(cluster->links, (cluster->link_count + 1) * sizeof(*link));
        if (cluster->links == NULL)
            abort();
        link = &cluster->links[cluster->link_count++];
        *link = (struct link){.node = node};
    }
    if (link->context != NULL && link->context->err) {
        redisFree(link->context);
        link->context = NULL;
    }
    if (link->context == NULL) {
        struct timeval patience = {.tv_sec = 2};
        link->context = redisConnectWithTimeout(node->host, node->port, patience);
        if (link->context == NULL)
            abort();
        if (!link->context->err)
            redisSetTimeout(link->context, patience);
    }
    return link->context;
}

/* Runs a command on one node. */
static redisReply *run(struct cluster *cluster, const struct node *node, int argc, const char **argv) {
    redisContext *c = link_to(cluster, node);
    redisReply *reply = c->err ? NULL : redisCommandArgv(c, argc, argv, NULL);
    if (reply == NULL)
        snprintf(cluster->error, sizeof(cluster->error), "%s:%d: %s", node->host, node->port, c->errstr);
    return reply;
}

/* Takes the map that a node has. */
static void reload(struct cluster *cluster, const struct node *node) {
    redisReply *rows = run(cluster, node, 2, (const char *[]){"CLUSTER", "SLOTS"});
    if (rows == NULL)
        return;
    slot_map_replace(cluster->map, rows, node);
    freeReplyObject(rows);
}

redisReply *cluster_command(struct cluster *cluster, int argc, const char **argv) {
    struct slot_map *map = cluster->map;
    const struct node *node = map->owners[key_slot(argv[1], strlen(argv[1]))];
    if (node == NULL)
        node = map->seed; /* it will say who has the slot */
    int ask = 0;
    for (int redirects = 0;; redirects++) {
        if (ask)
            freeReplyObject(run(cluster, node, 1, (const char *[]){"ASKING"}));
        redisReply *reply = run(cluster, node, argc, argv);
        if (reply == NULL || reply->type != REDIS_REPLY_ERROR || redirects == REDIRECTS)
            return reply;
        const struct node *to = slot_map_redirect(map, reply->str, node, &ask);
        if (to == NULL)
            return reply;
        freeReplyObject(reply);
        cluster->redirects++;
        if (cluster->reload && !ask)
            reload(cluster, to);
        node = to;
    }
}
