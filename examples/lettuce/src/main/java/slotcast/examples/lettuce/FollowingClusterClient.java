package slotcast.examples.lettuce;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A cluster client whose slot map is told of each slot that moves, once {@link #follow} has been
 * called.
 *
 * <p>Each row is applied to the Partitions that all connections of the client route by, so that the
 * next command goes to the new owner and no node is asked for its topology. What a row says of
 * replicas is left to the client's own refresh.
 */
public class FollowingClusterClient extends RedisClusterClient {
  private static final String CHANGES = "__cluster-slots__:json"; // Lettuce reads no nested payload
  private static final String SNAPSHOT = "__cluster-slots__:snapshot:json";

  private final RedisURI seed;

  public FollowingClusterClient(RedisURI seed) {
    super(null, Set.of(seed)); // null: resources of its own, which end with the client
    this.seed = seed;
  }

  /**
   * Starts to follow, on a connection that ends with the client.
   *
   * <p>Both channels in one command give the map as it is and then every change after it. Lettuce
   * subscribes to them again when it has to reconnect, on whichever node it finds, so the map comes
   * again too and makes up for what was missed.
   */
  public void follow() {
    getPartitions(); // loads them
    StatefulRedisPubSubConnection<String, String> connection = connectPubSub();
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, String message) {
            boolean whole = channel.equals(SNAPSHOT);
            List<Row> rows = whole ? Row.allOf(message) : List.of(Row.of(message));
            apply(rows, whole);
            rows.forEach(row -> applied(row, whole));
          }
        });
    connection.sync().subscribe(CHANGES, SNAPSHOT);
  }

  /** Is called for each row that has been applied; whole says that it is part of a whole map. */
  protected void applied(Row row, boolean whole) {}

  /** Replaces the map by a changed copy, since others read it meanwhile. */
  private synchronized void apply(List<Row> rows, boolean whole) {
    Partitions map = getPartitions().clone();
    RedisClusterNode[] owners = new RedisClusterNode[SlotHash.SLOT_COUNT];
    if (!whole) {
      map.forEach(node -> node.forEachSlot(slot -> owners[slot] = node));
    }
    for (Row row : rows) {
      RedisClusterNode owner = row.owner() == null ? null : node(map, row.owner());
      java.util.Arrays.fill(owners, row.first(), row.last() + 1, owner);
    }
    Map<RedisClusterNode, List<Integer>> slots = new HashMap<>();
    for (int slot = 0; slot < owners.length; slot++) {
      if (owners[slot] != null) {
        slots.computeIfAbsent(owners[slot], node -> new ArrayList<>()).add(slot);
      }
    }
    map.forEach(node -> node.setSlots(slots.getOrDefault(node, List.of())));
    getPartitions().reload(map.getPartitions());
    updatePartitionsInConnections();
  }

  /** Finds the node of a row in the map, or adds it; in either case it is a primary there. */
  private RedisClusterNode node(Partitions map, Row.Owner owner) {
    RedisClusterNode node = map.getPartitionByNodeId(owner.id());
    if (node == null) {
      node = new RedisClusterNode();
      node.setNodeId(owner.id());
      node.setConnected(true);
      map.add(node);
    }
    RedisURI uri = RedisURI.builder(seed).withPort(owner.port()).build();
    if (owner.host() != null) { // else it is the node that we are connected to, as the seed's host is
      uri.setHost(owner.host());
    }
    node.setUri(uri);
    node.setSlaveOf(null);
    node.setFlags(Set.of(RedisClusterNode.NodeFlag.UPSTREAM));
    return node;
  }
}
