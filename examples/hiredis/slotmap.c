#include "slotmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define CHANGES "__cluster-slots__"
#define SNAPSHOT "__cluster-slots__:snapshot"

/* After so many seconds without a change the follower connects anew and so
 * takes the whole map: it notices a node that has gone without a word, and
 * makes up for whatever else may have gone wrong. */
#define QUIET 60

void slot_map_init(struct slot_map *map, const char *host, int port) {
    memset(map, 0, sizeof(*map));
    pthread_mutex_init(&map->mutex, NULL);
    map->seed = slot_map_node(map, host, strlen(host), port);
}

struct node *slot_map_node(struct slot_map *map, const char *host, size_t length, int port) {
    pthread_mutex_lock(&map->mutex);
    struct node *node = map->nodes;
    while (node != NULL && (node->port != port || strlen(node->host) != length || memcmp(node->host, host, length) != 0))
        node = node->next;
    if (node == NULL) {
        node = malloc(sizeof(*node));
        if (node == NULL || (node->host = strndup(host, length)) == NULL)
            abort();
        node->port = port;
        node->next = map->nodes;
        map->nodes = node;
    }
    pthread_mutex_unlock(&map->mutex);
    return node;
}

/* Takes one row: first slot, last slot, primary, replicas. A row without a
 * primary says that the slots have no owner. A node is endpoint, port, id and
 * metadata; where the endpoint is unknown, it is the one we are connected to.
 * Returns 0 if it is no row. */
static int apply(struct slot_map *map, const char *what, const redisReply *row, const struct node *from) {
    if (row->type != REDIS_REPLY_ARRAY || row->elements < 2 || row->element[0]->type != REDIS_REPLY_INTEGER ||
        row->element[1]->type != REDIS_REPLY_INTEGER)
        return 0;
    long long first = row->element[0]->integer, last = row->element[1]->integer;
    if (first < 0 || first > last || last >= SLOTS)
        return 0;
    struct node *owner = NULL;
    if (row->elements > 2) {
        const redisReply *primary = row->element[2];
        if (primary->type != REDIS_REPLY_ARRAY || primary->elements < 2 || primary->element[1]->type != REDIS_REPLY_INTEGER)
            return 0;
        const redisReply *host = primary->element[0];
        int port = primary->element[1]->integer;
        owner = host->type == REDIS_REPLY_STRING && host->len > 0 ? slot_map_node(map, host->str, host->len, port)
                                                                  : slot_map_node(map, from->host, strlen(from->host), port);
    }
    for (int slot = first; slot <= last; slot++)
        map->owners[slot] = owner;
    if (map->on_row != NULL)
        map->on_row(what, first, last, owner, map->data);
    return 1;
}

int slot_map_replace(struct slot_map *map, const redisReply *rows, const struct node *from) {
    if (rows->type != REDIS_REPLY_ARRAY)
        return 0;
    /* Slots that no row names have no owner. Rows come in their order. */
    int next = 0;
    for (size_t i = 0; i < rows->elements; i++) {
        if (!apply(map, "map", rows->element[i], from))
            return 0;
        for (; next < rows->element[i]->element[0]->integer; next++)
            map->owners[next] = NULL;
        next = rows->element[i]->element[1]->integer + 1;
    }
    for (; next < SLOTS; next++)
        map->owners[next] = NULL;
    return 1;
}

struct node *slot_map_redirect(struct slot_map *map, const char *error, const struct node *from, int *ask) {
    int slot, begin = 0;
    *ask = strncmp(error, "ASK ", 4) == 0;
    if (!*ask && strncmp(error, "MOVED ", 6) != 0)
        return NULL;
    if (sscanf(error, "%*s %d %n", &slot, &begin) != 1 || begin == 0 || slot < 0 || slot >= SLOTS)
        return NULL;
    const char *host = error + begin, *colon = strrchr(host, ':');
    if (colon == NULL)
        return NULL;
    int port = atoi(colon + 1);
    /* A host that the node does not know is its own. */
    struct node *node = colon > host ? slot_map_node(map, host, colon - host, port)
                                     : slot_map_node(map, from->host, strlen(from->host), port);
    if (!*ask)
        map->owners[slot] = node;
    return node;
}

/* Subscribes on a node and applies what it says until the connection is lost.
 * Both channels are named in one command: that gives the map as it is, and
 * then every change after it. */
static void follow_on(struct slot_map *map, const struct node *node) {
    struct timeval patience = {.tv_sec = 2}, quiet = {.tv_sec = QUIET};
    redisContext *c = redisConnectWithTimeout(node->host, node->port, patience);
    if (c == NULL)
        abort();
    if (!c->err)
        redisSetTimeout(c, quiet);
    void *received;
    if (!c->err && redisAppendCommand(c, "SUBSCRIBE %s %s", CHANGES, SNAPSHOT) == REDIS_OK) {
        while (redisGetReply(c, &received) == REDIS_OK) {
            redisReply *reply = received;
            int right = 1;
            if (reply->type == REDIS_REPLY_ERROR) {
                fprintf(stderr, "%s:%d: %s\n", node->host, node->port, reply->str);
                right = 0;
            } else if (reply->elements == 3 && strcmp(reply->element[0]->str, "message") == 0) {
                if (strcmp(reply->element[1]->str, SNAPSHOT) == 0)
                    right = slot_map_replace(map, reply->element[2], node);
                else
                    right = apply(map, "change", reply->element[2], node);
            }
            freeReplyObject(reply);
            if (!right)
                break;
        }
    }
    if (c->err)
        fprintf(stderr, "%s:%d: %s, trying again\n", node->host, node->port, c->errstr);
    redisFree(c);
}

/* Whether a node is worth a subscription: one that has gone, or left the
 * cluster, owns nothing any more. */
static int worth_asking(struct slot_map *map, const struct node *node) {
    if (node == map->seed)
        return 1;
    for (int slot = 0; slot < SLOTS; slot++)
        if (map->owners[slot] == node)
            return 1;
    return 0;
}

/* The node after this one, around the list. */
static const struct node *next_node(struct slot_map *map, const struct node *node) {
    pthread_mutex_lock(&map->mutex);
    do
        node = node->next != NULL ? node->next : map->nodes;
    while (!worth_asking(map, node));
    pthread_mutex_unlock(&map->mutex);
    return node;
}

void slot_map_follow(struct slot_map *map) {
    for (const struct node *node = map->seed;; node = next_node(map, node)) {
        follow_on(map, node);
        sleep(1);
    }
}

/* CRC16 with the polynomial 0x1021, as the cluster specification wants it. */
int key_slot(const char *key, size_t length) {
    /* Of a key with a hash tag only what is between the braces counts. */
    const char *open = memchr(key, '{', length);
    if (open != NULL) {
        const char *tag = open + 1;
        const char *close = memchr(tag, '}', key + length - tag);
        if (close != NULL && close > tag) {
            key = tag;
            length = close - tag;
        }
    }
    unsigned crc = 0;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)key[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
        crc &= 0xffff;
    }
    return crc % SLOTS;
}
