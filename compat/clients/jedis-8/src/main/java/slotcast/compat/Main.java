package slotcast.compat;

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import slotcast.examples.jedis.FollowingProvider;

import java.util.Set;

/** Drives Jedis. */
public final class Main implements Library {
  public static void main(String[] args) {
    Program.run(new Main(), args);
  }

  @Override
  public Client connect(Target target) {
    HostAndPort addr = new HostAndPort(target.host(), target.port());
    return new JedisClient(
        target.cluster()
            ? RedisClusterClient.builder().nodes(Set.of(addr)).clientConfig(config(target)).build()
            : RedisClient.builder().hostAndPort(addr).clientConfig(config(target)).build());
  }

  @Override
  public Client connectFollowing(Target target) {
    HostAndPort addr = new HostAndPort(target.host(), target.port());
    FollowingProvider provider = new FollowingProvider(addr, config(target));
    provider.follow();
    return new JedisClient(
        RedisClusterClient.builder().nodes(Set.of(addr)).clientConfig(config(target)).connectionProvider(provider).build());
  }

  private static JedisClientConfig config(Target target) {
    RedisProtocol protocol = target.resp() == 3 ? RedisProtocol.RESP3 : RedisProtocol.RESP2;
    return DefaultJedisClientConfig.builder().protocol(protocol).build();
  }

  private record JedisClient(UnifiedJedis jedis) implements Client {
    @Override
    public void subscribe(String[] channels, Printer printer) {
      JedisPubSub listener =
          new JedisPubSub() {
            @Override
            public void onSubscribe(String channel, int count) {
              printer.subscribed(channel);
            }

            @Override
            public void onPSubscribe(String pattern, int count) {
              printer.subscribed(pattern);
            }

            @Override
            public void onMessage(String channel, String message) {
              printer.message(channel, message);
            }

            @Override
            public void onPMessage(String pattern, String channel, String message) {
              printer.patternMessage(pattern, channel, message);
            }
          };
      if (channels[0].contains("*")) {
        jedis.psubscribe(listener, channels);
      } else {
        jedis.subscribe(listener, channels);
      }
    }

    @Override
    public void set(String key, String value) {
      jedis.set(key, value);
    }

    @Override
    public String get(String key) {
      return jedis.get(key);
    }
  }
}
