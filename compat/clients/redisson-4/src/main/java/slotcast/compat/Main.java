package slotcast.compat;

import org.redisson.Redisson;
import org.redisson.api.RPatternTopic;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.Protocol;

import java.util.concurrent.CountDownLatch;

/** Drives Redisson. */
public final class Main implements Library {
  public static void main(String[] args) {
    Program.run(new Main(), args);
  }

  @Override
  public Client connect(Target target) {
    Config config = new Config();
    config.setProtocol(target.resp() == 3 ? Protocol.RESP3 : Protocol.RESP2);
    String address = "redis://" + target.host() + ":" + target.port();
    if (target.cluster()) {
      config.useClusterServers().addNodeAddress(address);
    } else {
      config.useSingleServer().setAddress(address);
    }
    return new RedissonProgram(Redisson.create(config));
  }

  private record RedissonProgram(RedissonClient redisson) implements Client {
    @Override
    public void subscribe(String[] channels, Printer printer) {
      // The library tells of a confirmation only by returning, and messages may come before that.
      Confirmed confirmed = new Confirmed();
      for (String channel : channels) {
        if (channel.contains("*")) {
          RPatternTopic topic = redisson.getPatternTopic(channel, StringCodec.INSTANCE);
          topic.addListener(
              String.class,
              (pattern, from, message) -> {
                confirmed.await();
                printer.patternMessage(pattern.toString(), from.toString(), message);
              });
        } else {
          RTopic topic = redisson.getTopic(channel, StringCodec.INSTANCE);
          topic.addListener(
              String.class,
              (from, message) -> {
                confirmed.await();
                printer.message(from.toString(), message);
              });
        }
        printer.subscribed(channel);
      }
      confirmed.set();
    }

    @Override
    public void set(String key, String value) {
      redisson.getBucket(key, StringCodec.INSTANCE).set(value);
    }

    @Override
    public String get(String key) {
      return (String) redisson.getBucket(key, StringCodec.INSTANCE).get();
    }
  }

  /** Holds messages back until all confirmations have been printed. */
  private static final class Confirmed {
    private final CountDownLatch latch = new CountDownLatch(1);

    void set() {
      latch.countDown();
    }

    void await() {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
