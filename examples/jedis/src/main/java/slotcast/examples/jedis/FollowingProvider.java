package slotcast.examples.jedis;

import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The connections of a cluster client whose slot map is told of each slot that moves: give it to
 * {@code RedisClusterClient.builder().nodes(…).connectionProvider(…)} and call {@link #follow}.
 *
 * <p>Each row is applied to the map that Jedis routes by, so that the next command goes to the new
 * owner and no CLUSTER SLOTS is asked. What a row says of replicas is left to Jedis's own reload.
 */
public class FollowingProvider extends ClusterConnectionProvider {
  private static final String CHANGES = "__cluster-slots__:json"; // Jedis reads no nested payload
  private static final String SNAPSHOT = "__cluster-slots__:snapshot:json";
  private static final long PAUSE_MILLIS = 1000; // between two attempts to subscribe

  private final HostAndPort seed;
  private final JedisClientConfig config;
  private volatile boolean closed;
  private volatile Jedis subscribed;

  public FollowingProvider(HostAndPort seed, JedisClientConfig config) {
    super(Set.of(seed), config);
    this.seed = seed;
    this.config = config;
  }

  /** Starts to follow, in a thread that ends with {@link #close}. */
  public void follow() {
    Thread follower = new Thread(this::followForEver, "slots");
    follower.setDaemon(true);
    follower.start();
  }

  /** Is called for each row that has been applied; whole says that it is part of a whole map. */
  protected void applied(Row row, boolean whole) {}

  @Override
  public void close() {
    closed = true;
    Jedis jedis = subscribed;
    if (jedis != null) {
      jedis.close();
    }
    super.close();
  }

  /**
   * Both channels in one command give the map as it is and then every change after it, so a lost
   * connection needs no more than subscribing again, on whichever node answers.
   */
  private void followForEver() {
    while (!closed) {
      for (HostAndPort node : nodes()) {
        try (Jedis jedis = new Jedis(node, config)) {
          subscribed = jedis;
          Subscriber subscriber = new Subscriber(node.getHost());
          try {
            jedis.subscribe(subscriber, CHANGES, SNAPSHOT);
          } catch (JedisException e) {
            complain(node, e);
          }
          if (subscriber.received) {
            break; // it did answer: begin again with the first
          }
        } catch (JedisException e) {
          complain(node, e);
        }
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void complain(HostAndPort node, JedisException e) {
    if (!closed) {
      System.err.println("no slot changes from " + node + ", trying again: " + e.getMessage());
    }
  }

  private Set<HostAndPort> nodes() {
    Set<HostAndPort> nodes = new LinkedHashSet<>(Set.of(seed));
    getNodes().keySet().forEach(node -> nodes.add(HostAndPort.from(node)));
    return nodes;
  }

  private final class Subscriber extends JedisPubSub {
    private final String host;
    private boolean received;

    Subscriber(String host) {
      this.host = host;
    }

    @Override
    public void onMessage(String channel, String message) {
      received = true;
      if (channel.equals(SNAPSHOT)) {
        Row.allOf(message, host).forEach(row -> apply(row, true));
      } else {
        apply(Row.of(message, host), false);
      }
    }
  }

  private void apply(Row row, boolean whole) {
    if (row.owner() != null) { // the map has no way to say that nobody owns a slot
      cache.assignSlotsToNode(
          IntStream.rangeClosed(row.first(), row.last()).boxed().collect(Collectors.toList()), row.owner());
    }
    applied(row, whole);
  }
}
