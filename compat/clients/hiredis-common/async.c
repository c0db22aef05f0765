/* Drives the asynchronous functions of hiredis and libvalkey, from a loop over
 * poll; package compat says what a program is asked to do and what it prints.
 */
#include "program.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the library wants to be told of: the events of its one connection. */
static short wanted;

static void add_read(void *data) { (void)data, wanted |= POLLIN; }
static void del_read(void *data) { (void)data, wanted &= ~POLLIN; }
static void add_write(void *data) { (void)data, wanted |= POLLOUT; }
static void del_write(void *data) { (void)data, wanted &= ~POLLOUT; }
static void cleanup(void *data) { (void)data, wanted = 0; }

static int attach(redisAsyncContext *ac) {
    ac->ev.data = ac;
    ac->ev.addRead = add_read;
    ac->ev.delRead = del_read;
    ac->ev.addWrite = add_write;
    ac->ev.delWrite = del_write;
    ac->ev.cleanup = cleanup;
    wanted = POLLIN | POLLOUT;
    return REDIS_OK;
}

static void on_disconnect(const redisAsyncContext *ac, int status) {
    fail(status == REDIS_OK ? "disconnected" : ac->errstr);
}

/* How many replies are outstanding, and how many keys were right. */
static int waiting, right;

static void on_hello(redisAsyncContext *ac, void *reply, void *data) {
    const redisReply *r = reply;
    (void)data;
    if (r == NULL)
        fail(ac->errstr);
    if (r->type == REDIS_REPLY_ERROR)
        fail(r->str);
}

static void on_received(redisAsyncContext *ac, void *reply, void *data) {
    (void)data;
    if (reply == NULL)
        fail(ac->errstr);
    print_received(reply);
}

static void on_set(redisAsyncContext *ac, void *reply, void *data) {
    const redisReply *r = reply;
    (void)data;
    if (r == NULL)
        fail(ac->errstr);
    if (r->type == REDIS_REPLY_ERROR)
        fail(r->str);
    waiting--;
}

static void on_get(redisAsyncContext *ac, void *reply, void *data) {
    const redisReply *r = reply;
    if (r == NULL)
        fail(ac->errstr);
    right += r->type == REDIS_REPLY_STRING && strcmp(r->str, data) == 0;
    free(data);
    waiting--;
}

static void begin(const struct task *task, redisAsyncContext *ac) {
    if (strcmp(task->name, "subscribe") == 0) {
        int count;
        const char **command = subscribe_command(task, &count);
        redisAsyncCommandArgv(ac, on_received, NULL, count, command, NULL);
        return;
    }
    for (int i = 0; i < 50; i++, waiting++)
        redisAsyncCommand(ac, on_set, NULL, "SET key:%d %d", i, i);
    for (int i = 0; i < 50; i++, waiting++) {
        char number[16];
        snprintf(number, sizeof(number), "%d", i);
        redisAsyncCommand(ac, on_get, strdup(number), "GET key:%d", i);
    }
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    struct task task = read_task(argc, argv);
    redisAsyncContext *ac = redisAsyncConnect(task.host, task.port);
    if (ac == NULL || ac->err)
        fail(ac ? ac->errstr : "out of memory");
    attach(ac);
    redisAsyncSetDisconnectCallback(ac, on_disconnect);
    if (task.resp3)
        redisAsyncCommand(ac, on_hello, NULL, "HELLO 3");
    begin(&task, ac);

    int subscribing = waiting == 0;
    while (subscribing || waiting > 0) {
        struct pollfd fds[2] = {
            {.fd = ac->c.fd, .events = wanted},
            {.fd = subscribing ? STDIN_FILENO : -1, .events = POLLIN},
        };
        if (poll(fds, 2, -1) < 0)
            fail("poll");
        char buffer[512];
        if (fds[1].revents && read(STDIN_FILENO, buffer, sizeof(buffer)) <= 0)
            return 0;
        if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
            redisAsyncHandleRead(ac);
        if (fds[0].revents & POLLOUT)
            redisAsyncHandleWrite(ac);
    }
    printf("keys %d\n", right);
    return 0;
}
