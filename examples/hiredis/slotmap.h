/* The owner of every slot of a cluster, kept current by the channel
 * __cluster-slots__. hiredis has no cluster client; this and cluster.h are one.
 */
#ifndef SLOTMAP_H
#define SLOTMAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <hiredis/hiredis.h>

#define SLOTS 16384

/* A node is never changed or freed once it is in a map, so a pointer to one
 * needs no lock and is good for as long as the map. */
struct node {
    char *host;
    int port;
    struct node *next;
};

struct slot_map {
    struct node *seed; /* where to ask before anything is known */
    struct node *_Atomic owners[SLOTS]; /* NULL: nobody */

    pthread_mutex_t mutex; /* guards nodes, the list of all that were seen */
    struct node *nodes;

    /* Called, if it is not NULL, by whoever applies a row, after it was
     * applied. what is "map" for a row of the whole map, or "change". */
    void (*on_row)(const char *what, int first, int last, const struct node *owner, void *data);
    void *data;
};

/* Initialises a map. All of its functions end the program when there is no
 * memory. */
void slot_map_init(struct slot_map *map, const char *host, int port);

/* Follows the cluster for ever: it subscribes on one node, takes the whole map
 * and then every change, and begins anew, on another node if it has to, when
 * the connection is lost. To be run in a thread of its own. */
void slot_map_follow(struct slot_map *map);

/* Takes the whole map: the rows of a snapshot, or the reply to CLUSTER SLOTS.
 * from is the node that they came from. Returns 0 if it is none. */
int slot_map_replace(struct slot_map *map, const redisReply *rows, const struct node *from);

/* Takes an error from a node. Returns the node that it redirects to, or NULL
 * if it is neither MOVED, which changes the map, nor ASK, which does not. */
struct node *slot_map_redirect(struct slot_map *map, const char *error, const struct node *from, int *ask);

/* The node with this address, which may be new. */
struct node *slot_map_node(struct slot_map *map, const char *host, size_t length, int port);

/* The slot of a key. */
int key_slot(const char *key, size_t length);

#endif
