#include "load.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../examples/hiredis/cluster.h"

#define WORKERS 4
#define TEXTS 16

static atomic_int ended;

struct worker {
    pthread_t thread;
    struct cluster cluster;
    unsigned seed;
    uint32_t *micros; /* of each operation */
    size_t operations, room;
    long errors;
    char texts[TEXTS][256]; /* of distinct errors */
    int text_count;
};

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void failed(struct worker *w, const char *text) {
    w->errors++;
    for (int i = 0; i < w->text_count; i++)
        if (strncmp(w->texts[i], text, sizeof(w->texts[i]) - 1) == 0)
            return;
    if (w->text_count < TEXTS)
        snprintf(w->texts[w->text_count++], sizeof(w->texts[0]), "%s", text);
}

static void operate(struct worker *w) {
    char key[32];
    snprintf(key, sizeof(key), "load:%d", rand_r(&w->seed) % 10000);
    const char *set[] = {"SET", key, "value"};
    const char *get[] = {"GET", key};
    int writes = rand_r(&w->seed) % 2;
    uint64_t begin = now();
    redisReply *reply = writes ? cluster_command(&w->cluster, 3, set) : cluster_command(&w->cluster, 2, get);
    uint64_t micros = now() - begin;
    if (reply == NULL)
        failed(w, w->cluster.error);
    else if (reply->type == REDIS_REPLY_ERROR)
        failed(w, reply->str);
    freeReplyObject(reply);
    if (w->operations == w->room) {
        w->room = w->room ? 2 * w->room : 4096;
        if ((w->micros = realloc(w->micros, w->room * sizeof(*w->micros))) == NULL)
            abort();
    }
    w->micros[w->operations++] = micros;
}

static void *work(void *worker) {
    while (!ended)
        operate(worker);
    return NULL;
}

static void *follow(void *map) {
    slot_map_follow(map);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Prints what all workers have measured. */
static void report(struct worker *workers) {
    size_t operations = 0;
    long errors = 0;
    for (int i = 0; i < WORKERS; i++) {
        operations += workers[i].operations;
        errors += workers[i].errors;
        for (int j = 0; j < workers[i].text_count; j++)
            fprintf(stderr, "%s\n", workers[i].texts[j]);
    }
    uint32_t *all = malloc((operations + 1) * sizeof(*all)), *end = all;
    if (all == NULL)
        abort();
    *all = 0;
    for (int i = 0; i < WORKERS; i++) {
        memcpy(end, workers[i].micros, workers[i].operations * sizeof(*all));
        end += workers[i].operations;
    }
    qsort(all, operations, sizeof(*all), ascending);
    size_t last = operations > 0 ? operations - 1 : 0;
    printf("operations %zu\nerrors %ld\n", operations, errors);
    printf("p50 %u\np99 %u\nmax %u\n", all[last / 2], all[last * 99 / 100], all[last]);
    free(all);
}

void load(const struct task *task) {
    static struct slot_map map;
    static struct worker workers[WORKERS];
    int pushed = task->channel_count == 1 && strcmp(task->channels[0], "on") == 0;
    slot_map_init(&map, task->host, task->port);
    pthread_t follower;
    if (pushed && pthread_create(&follower, NULL, follow, &map) != 0)
        exit(2);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].seed = i + 1;
        cluster_init(&workers[i].cluster, &map);
        workers[i].cluster.reload = !pushed;
        operate(&workers[i]); /* before the others, so that all work once "loading" is said */
    }
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(2);
    printf("loading\n");
    char buffer[512];
    while (read(STDIN_FILENO, buffer, sizeof(buffer)) > 0)
        ;
    ended = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    report(workers);
}
