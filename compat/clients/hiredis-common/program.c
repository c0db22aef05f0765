#include "program.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct task read_task(int argc, char **argv) {
    struct task task = {0};
    const char *colon = argc > 4 ? strrchr(argv[2], ':') : NULL;
    if (colon == NULL || (size_t)(colon - argv[2]) >= sizeof(task.host)) {
        fprintf(stderr, "usage: %s subscribe|keys|load host:port 2|3 single|cluster [channel ...|off|on]\n", argv[0]);
        exit(2);
    }
    task.name = argv[1];
    task.addr = argv[2];
    memcpy(task.host, argv[2], colon - argv[2]);
    task.port = atoi(colon + 1);
    task.resp3 = strcmp(argv[3], "3") == 0;
    task.cluster = strcmp(argv[4], "cluster") == 0;
    task.channels = argv + 5;
    task.channel_count = argc - 5;
    setvbuf(stdout, NULL, _IOLBF, 0);
    return task;
}

static void print_text(const char *text, size_t length) {
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = text[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_json(const redisReply *reply) {
    int map = 0;
    switch (reply->type) {
    case REDIS_REPLY_NIL:
        printf("null");
        return;
    case REDIS_REPLY_INTEGER:
        printf("%lld", reply->integer);
        return;
#if HAS_RESP3
    case REDIS_REPLY_MAP:
        map = 1;
#endif
    /* fall through */
    case REDIS_REPLY_ARRAY:
        putchar(map ? '{' : '[');
        for (size_t i = 0; i < reply->elements; i++) {
            if (i > 0)
                putchar(map && i % 2 ? ':' : ',');
            print_json(reply->element[i]);
        }
        putchar(map ? '}' : ']');
        return;
    default:
        print_text(reply->str, reply->len);
    }
}

void print_received(const redisReply *reply) {
    if (reply->type == REDIS_REPLY_ERROR)
        fail(reply->str);
    if (reply->elements < 3) /* not of Pub/Sub */
        fail("a reply of a strange kind");
    const char *what = reply->element[0]->str;
    const redisReply *payload = reply->element[reply->elements - 1];
    if (strcmp(what, "subscribe") == 0 || strcmp(what, "psubscribe") == 0) {
        printf("subscribed %s\n", reply->element[1]->str);
        return;
    }
    printf("%s %s ", what, reply->element[1]->str);
    if (strcmp(what, "pmessage") == 0)
        printf("%s ", reply->element[2]->str);
    print_json(payload);
    putchar('\n');
}

void fail(const char *text) {
    printf("error %s\n", text);
    exit(1);
}

static void *wait_for_end(void *unused) {
    char buffer[512];
    (void)unused;
    while (read(STDIN_FILENO, buffer, sizeof(buffer)) > 0)
        ;
    _exit(0); /* as the other thread may be within a line that exit would write again */
}

void end_with_stdin(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0)
        exit(2);
}

const char **subscribe_command(const struct task *task, int *count) {
    const char **command = calloc(task->channel_count + 1, sizeof(*command));
    if (command == NULL || task->channel_count == 0)
        exit(2);
    command[0] = strchr(task->channels[0], '*') ? "PSUBSCRIBE" : "SUBSCRIBE";
    memcpy(command + 1, task->channels, task->channel_count * sizeof(*command));
    *count = task->channel_count + 1;
    return command;
}
