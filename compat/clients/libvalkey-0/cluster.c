#include "libvalkey_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <valkey/cluster.h>

static valkeyClusterContext *connect_to(const struct task *task) {
    valkeyClusterOptions options = {.initial_nodes = task->addr};
    valkeyClusterContext *cc = valkeyClusterConnectWithOptions(&options);
    if (cc == NULL || cc->err)
        fail(cc ? cc->errstr : "out of memory");
    return cc;
}

redisContext *cluster_subscriber(const struct task *task) {
    valkeyClusterContext *cc = connect_to(task);
    valkeyClusterNodeIterator nodes;
    valkeyClusterInitNodeIterator(&nodes, cc);
    valkeyClusterNode *node = valkeyClusterNodeNext(&nodes);
    if (node == NULL)
        fail("a cluster without nodes");
    if (task->resp3) {
        valkeyReply *reply = valkeyClusterCommandToNode(cc, node, "HELLO 3");
        if (reply == NULL)
            fail(cc->errstr);
        freeReplyObject(reply);
    }
    redisContext *c = valkeyClusterGetValkeyContext(cc, node);
    if (c == NULL)
        fail(cc->errstr);
    return c;
}

/* Which protocol the nodes speak is for each connection to say; the cluster
 * client asks all that it knows. */
static void hello(valkeyClusterContext *cc) {
    valkeyClusterNodeIterator nodes;
    valkeyClusterInitNodeIterator(&nodes, cc);
    for (valkeyClusterNode *node; (node = valkeyClusterNodeNext(&nodes)) != NULL;) {
        valkeyReply *reply = valkeyClusterCommandToNode(cc, node, "HELLO 3");
        if (reply == NULL)
            fail(cc->errstr);
        freeReplyObject(reply);
    }
}

void cluster_keys(const struct task *task) {
    valkeyClusterContext *cc = connect_to(task);
    if (task->resp3)
        hello(cc);
    for (int i = 0; i < 50; i++) {
        valkeyReply *reply = valkeyClusterCommand(cc, "SET key:%d %d", i, i);
        if (reply == NULL)
            fail(cc->errstr);
        if (reply->type == VALKEY_REPLY_ERROR)
            fail(reply->str);
        freeReplyObject(reply);
    }
    int right = 0;
    for (int i = 0; i < 50; i++) {
        valkeyReply *reply = valkeyClusterCommand(cc, "GET key:%d", i);
        if (reply == NULL)
            fail(cc->errstr);
        right += reply->type == VALKEY_REPLY_STRING && atoi(reply->str) == i;
        freeReplyObject(reply);
    }
    printf("keys %d\n", right);
}
