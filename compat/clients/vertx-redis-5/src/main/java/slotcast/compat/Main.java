package slotcast.compat;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisAPI;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Drives the Redis client of Vert.x. */
public final class Main implements Library {
  public static void main(String[] args) {
    Program.run(new Main(), args);
  }

  @Override
  public Client connect(Target target) {
    RedisOptions options =
        new RedisOptions()
            .setType(target.cluster() ? RedisClientType.CLUSTER : RedisClientType.STANDALONE)
            .setConnectionString("redis://" + target.host() + ":" + target.port())
            .setPreferredProtocolVersion(target.resp() == 3 ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2);
    Redis redis = Redis.createClient(Vertx.vertx(), options);
    return new VertxClient(redis, RedisAPI.api(redis));
  }

  private record VertxClient(Redis redis, RedisAPI api) implements Client {
    @Override
    public void subscribe(String[] channels, Printer printer) {
      Command command = channels[0].contains("*") ? Command.PSUBSCRIBE : Command.SUBSCRIBE;
      Request request = Request.cmd(command);
      for (String channel : channels) {
        request.arg(channel);
      }
      RedisConnection connection = redis.connect().await();
      connection.exceptionHandler(printer::error);
      connection.handler(received -> print(received, printer));
      connection.send(request).await();
    }

    /** The library hands over whole frames; their first element says what they are. */
    private static void print(Response received, Printer printer) {
      switch (received.get(0).toString()) {
        case "subscribe", "psubscribe" -> printer.subscribed(received.get(1).toString());
        case "message" -> printer.message(received.get(1).toString(), value(received.get(2)));
        case "pmessage" ->
            printer.patternMessage(received.get(1).toString(), received.get(2).toString(), value(received.get(3)));
        default -> printer.error(new IllegalStateException("unexpected " + received));
      }
    }

    private static Object value(Response response) {
      if (response == null) {
        return null;
      }
      return switch (response.type()) {
        case NUMBER -> response.toNumber();
        case BOOLEAN -> response.toBoolean();
        case MULTI, PUSH -> {
          if (response.isMap()) {
            Map<String, Object> map = new LinkedHashMap<>();
            response.getKeys().forEach(key -> map.put(key, value(response.get(key))));
            yield map;
          }
          List<Object> list = new ArrayList<>();
          response.forEach(element -> list.add(value(element)));
          yield list;
        }
        default -> response.toString();
      };
    }

    @Override
    public void set(String key, String value) {
      api.set(List.of(key, value)).await();
    }

    @Override
    public String get(String key) {
      Response response = api.get(key).await();
      return response == null ? null : response.toString();
    }
  }
}
