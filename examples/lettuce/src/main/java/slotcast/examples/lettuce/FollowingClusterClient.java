package slotcast.examples.lettuce;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

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

  private record Message(boolean whole, String text) {}

  private final RedisURI seed;
  private final Queue<Message> pending = new ConcurrentLinkedQueue<>();

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
            // Not here: other connections wait for this thread.
            pending.add(new Message(channel.equals(SNAPSHOT), message));
            getResources().eventExecutorGroup().execute(FollowingClusterClient.this::applyPending);
          }
        });
    connection.sync().subscribe(CHANGES, SNAPSHOT);
  }

  /** Is called for each row that has been applied; whole says that it is part of a whole map. */
  protected void applied(Row row, boolean whole) {}

  /** Applies what has come since the last time, all at once, as a map is not changed for nothing. */
  private synchronized void applyPending() {
    List<RedisClusterNode> nodes = null;
    RedisClusterNode[] owners = new RedisClusterNode[SlotHash.SLOT_COUNT];
    List<Runnable> told = new ArrayList<>();
    for (Message message; (message = pending.poll()) != null; ) {
      if (nodes == null) {
        nodes = copyOf(getPartitions(), owners);
      }
      boolean whole = message.whole();
      if (whole) {
        Arrays.fill(owners, null);
      }
      for (Row row : whole ? Row.allOf(message.text()) : List.of(Row.of(message.text()))) {
        RedisClusterNode owner = row.owner() == null ? null : node(nodes, row.owner());
        Arrays.fill(owners, row.first(), row.last() + 1, owner);
        told.add(() -> applied(row, whole));
      }
    }
    if (nodes != null) {
      replaceMap(nodes, owners);
      told.forEach(Runnable::run);
    }
  }

  /** Copies the map, since others read it meanwhile. */
  private static List<RedisClusterNode> copyOf(Partitions map, RedisClusterNode[] owners) {
    List<RedisClusterNode> nodes = new ArrayList<>();
    for (RedisClusterNode node : map) {
      RedisClusterNode copy = node.clone();
      copy.forEachSlot(slot -> owners[slot] = copy);
      nodes.add(copy);
    }
    return nodes;
  }

  private void replaceMap(List<RedisClusterNode> nodes, RedisClusterNode[] owners) {
    Map<RedisClusterNode, List<Integer>> slots = new IdentityHashMap<>();
    for (int slot = 0; slot < owners.length; slot++) {
      if (owners[slot] != null) {
        slots.computeIfAbsent(owners[slot], node -> new ArrayList<>()).add(slot);
      }
    }
    nodes.forEach(node -> node.setSlots(slots.getOrDefault(node, List.of())));
    getPartitions().reload(nodes);
    updatePartitionsInConnections();
  }

  /** Finds the node of a row in the map, or adds it; in either case it is a primary there. */
  private RedisClusterNode node(List<RedisClusterNode> nodes, Row.Owner owner) {
    RedisClusterNode node = nodes.stream().filter(n -> n.getNodeId().equals(owner.id())).findFirst().orElse(null);
    if (node == null) {
      node = new RedisClusterNode();
      node.setNodeId(owner.id());
      node.setConnected(true);
      nodes.add(node);
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
