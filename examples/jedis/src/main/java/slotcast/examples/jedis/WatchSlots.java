package slotcast.examples.jedis;

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;

import java.util.Set;

/**
 * Prints the slot map and what changes in it, and sets and gets a key every second meanwhile.
 *
 * <pre>java -jar target/watch-slots.jar [host:port]</pre>
 */
public final class WatchSlots {
  public static void main(String[] args) throws InterruptedException {
    HostAndPort seed = HostAndPort.from(args.length > 0 ? args[0] : "127.0.0.1:6379");
    FollowingProvider provider =
        new FollowingProvider(seed, DefaultJedisClientConfig.builder().build()) {
          @Override
          protected void applied(Row row, boolean whole) {
            System.out.println(
                (whole ? "map " : "change ")
                    + row.first()
                    + "-"
                    + row.last()
                    + " "
                    + (row.owner() == null ? "nobody" : row.owner()));
          }
        };
    try (RedisClusterClient client =
        RedisClusterClient.builder().nodes(Set.of(seed)).connectionProvider(provider).build()) {
      provider.follow();
      for (int i = 0; ; i++) {
        try {
          String key = "key:" + i % 1000;
          client.set(key, String.valueOf(i));
          client.get(key);
        } catch (JedisException e) {
          System.err.println(e.getMessage());
        }
        Thread.sleep(1000);
      }
    }
  }
}
