/* Follows the slot map of a cluster from the channel __cluster-slots__.
 *
 *     watch_slots [host] [port]
 *
 * Prints the whole map, then each range of slots that changes its owner.
 * Meanwhile it sets and gets a key each second through the map; what goes
 * wrong with that is on standard error. Copy the other files: slotmap.c keeps
 * the map, and cluster.c sends commands by it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"

static void print_row(const char *what, int first, int last, const struct node *owner, void *data) {
    (void)data;
    if (owner == NULL)
        printf("%s %d-%d nobody\n", what, first, last);
    else
        printf("%s %d-%d %s:%d\n", what, first, last, owner->host, owner->port);
}

static void *follow(void *map) {
    slot_map_follow(map);
    return NULL;
}

/* Runs a command and says what went wrong. */
static redisReply *run(struct cluster *cluster, int argc, const char **argv) {
    redisReply *reply = cluster_command(cluster, argc, argv);
    if (reply == NULL)
        fprintf(stderr, "%s %s: %s\n", argv[0], argv[1], cluster->error);
    else if (reply->type == REDIS_REPLY_ERROR)
        fprintf(stderr, "%s %s: %s\n", argv[0], argv[1], reply->str);
    return reply;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a lost connection is an error of its command */
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct slot_map *map = malloc(sizeof(*map));
    if (map == NULL)
        return 1;
    slot_map_init(map, argc > 1 ? argv[1] : "127.0.0.1", argc > 2 ? atoi(argv[2]) : 6379);
    map->on_row = print_row;
    pthread_t follower;
    if (pthread_create(&follower, NULL, follow, map) != 0)
        return 1;

    struct cluster cluster;
    cluster_init(&cluster, map);
    for (int i = 0;; i++) {
        char key[32], value[32];
        snprintf(key, sizeof(key), "key:%d", i % 1000);
        snprintf(value, sizeof(value), "%d", i);
        redisReply *set = run(&cluster, 3, (const char *[]){"SET", key, value});
        redisReply *get = run(&cluster, 2, (const char *[]){"GET", key});
        if (get != NULL && get->type == REDIS_REPLY_STRING && strcmp(get->str, value) != 0)
            fprintf(stderr, "%s is %s and was set to %s\n", key, get->str, value);
        freeReplyObject(set);
        freeReplyObject(get);
        sleep(1);
    }
}
