package slotcast.examples.lettuce;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;

/**
 * Prints the slot map and what changes in it, and sets and gets a key every second meanwhile.
 *
 * <pre>java -jar target/watch-slots.jar [host:port]</pre>
 */
public final class WatchSlots {
  public static void main(String[] args) throws InterruptedException {
    RedisURI seed = RedisURI.create("redis://" + (args.length > 0 ? args[0] : "127.0.0.1:6379"));
    FollowingClusterClient client =
        new FollowingClusterClient(seed) {
          @Override
          protected void applied(Row row, boolean whole) {
            String owner = row.owner() == null ? "nobody" : row.owner().host() + ":" + row.owner().port();
            System.out.println((whole ? "map " : "change ") + row.first() + "-" + row.last() + " " + owner);
          }
        };
    client.follow();
    RedisAdvancedClusterCommands<String, String> commands = client.connect().sync();
    for (int i = 0; ; i++) {
      try {
        String key = "key:" + i % 1000;
        commands.set(key, String.valueOf(i));
        commands.get(key);
      } catch (RedisException e) {
        System.err.println(e.getMessage());
      }
      Thread.sleep(1000);
    }
  }
}
