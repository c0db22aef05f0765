package slotcast.compat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisStringCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import slotcast.examples.lettuce.FollowingClusterClient;

import java.util.function.Supplier;

/** Drives Lettuce. */
public final class Main implements Library {
  public static void main(String[] args) {
    Program.run(new Main(), args);
  }

  @Override
  public Client connect(Target target) {
    if (target.cluster()) {
      RedisClusterClient client = RedisClusterClient.create(uri(target));
      client.setOptions(ClusterClientOptions.builder().protocolVersion(protocol(target)).build());
      return new LettuceClient(client.connect().sync(), client::connectPubSub);
    }
    RedisClient client = RedisClient.create(uri(target));
    client.setOptions(ClientOptions.builder().protocolVersion(protocol(target)).build());
    return new LettuceClient(client.connect().sync(), client::connectPubSub);
  }

  @Override
  public Client connectFollowing(Target target) {
    FollowingClusterClient client = new FollowingClusterClient(uri(target));
    client.setOptions(ClusterClientOptions.builder().protocolVersion(protocol(target)).build());
    client.follow();
    return new LettuceClient(client.connect().sync(), client::connectPubSub);
  }

  private static RedisURI uri(Target target) {
    return RedisURI.create(target.host(), target.port());
  }

  private static ProtocolVersion protocol(Target target) {
    return target.resp() == 3 ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2;
  }

  private record LettuceClient(
      RedisStringCommands<String, String> commands, Supplier<StatefulRedisPubSubConnection<String, String>> connectPubSub)
      implements Client {
    @Override
    public void subscribe(String[] channels, Printer printer) {
      StatefulRedisPubSubConnection<String, String> connection = connectPubSub.get();
      connection.addListener(
          new RedisPubSubListener<String, String>() {
            @Override
            public void message(String channel, String message) {
              printer.message(channel, message);
            }

            @Override
            public void message(String pattern, String channel, String message) {
              printer.patternMessage(pattern, channel, message);
            }

            @Override
            public void subscribed(String channel, long count) {
              printer.subscribed(channel);
            }

            @Override
            public void psubscribed(String pattern, long count) {
              printer.subscribed(pattern);
            }

            @Override
            public void unsubscribed(String channel, long count) {}

            @Override
            public void punsubscribed(String pattern, long count) {}
          });
      if (channels[0].contains("*")) {
        connection.sync().psubscribe(channels);
      } else {
        connection.sync().subscribe(channels);
      }
    }

    @Override
    public void set(String key, String value) {
      commands.set(key, value);
    }

    @Override
    public String get(String key) {
      return commands.get(key);
    }
  }
}
