/* Drives the blocking functions of hiredis and libvalkey; package compat says
 * what a program is asked to do and what it prints. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBVALKEY
#include "libvalkey_cluster.h"
#else
#include "load.h"
#endif

static redisContext *connect_to(const struct task *task) {
    redisContext *c = redisConnect(task->host, task->port);
    if (c == NULL || c->err)
        fail(c ? c->errstr : "out of memory");
    if (task->resp3) {
        redisReply *reply = redisCommand(c, "HELLO 3");
        if (reply == NULL)
            fail(c->errstr);
        if (reply->type == REDIS_REPLY_ERROR)
            fail(reply->str);
        freeReplyObject(reply);
    }
    return c;
}

static void subscribe(const struct task *task, redisContext *c) {
    int count;
    const char **command = subscribe_command(task, &count);
#if HAS_RESP3
    /* The documentation's way for loops like this one: without a callback,
     * pushes come in band. */
    redisSetPushCallback(c, NULL);
#endif
    redisAppendCommandArgv(c, count, command, NULL);
    void *reply;
    while (redisGetReply(c, &reply) == REDIS_OK) {
        print_received(reply);
        freeReplyObject(reply);
    }
    fail(c->errstr);
}

static void keys(redisContext *c) {
    for (int i = 0; i < 50; i++) {
        redisReply *reply = redisCommand(c, "SET key:%d %d", i, i);
        if (reply == NULL)
            fail(c->errstr);
        if (reply->type == REDIS_REPLY_ERROR)
            fail(reply->str);
        freeReplyObject(reply);
    }
    int right = 0;
    for (int i = 0; i < 50; i++) {
        redisReply *reply = redisCommand(c, "GET key:%d", i);
        if (reply == NULL)
            fail(c->errstr);
        right += reply->type == REDIS_REPLY_STRING && atoi(reply->str) == i;
        freeReplyObject(reply);
    }
    printf("keys %d\n", right);
}

int main(int argc, char **argv) {
    struct task task = read_task(argc, argv);
    int subscribing = strcmp(task.name, "subscribe") == 0;
    if (subscribing)
        end_with_stdin();
#ifdef LIBVALKEY
    if (task.cluster) {
        if (subscribing)
            subscribe(&task, cluster_subscriber(&task));
        cluster_keys(&task);
        return 0;
    }
#else
    if (strcmp(task.name, "load") == 0) {
        load(&task);
        return 0;
    }
#endif
    redisContext *c = connect_to(&task);
    if (subscribing)
        subscribe(&task, c);
    keys(c);
    return 0;
}
