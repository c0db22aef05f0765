package slotcast.examples.jedis;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import redis.clients.jedis.HostAndPort;

import java.util.ArrayList;
import java.util.List;

/**
 * A range of slots and its owner, as a row of CLUSTER SLOTS gives it: [first, last, primary,
 * replica, …]. The owner is null where the slots belong to nobody.
 */
public record Row(int first, int last, HostAndPort owner) {
  /** Reads the JSON text of one row. */
  static Row of(String json, String unknownHost) {
    return of(JsonParser.parseString(json).getAsJsonArray(), unknownHost);
  }

  /** Reads the JSON text of a whole map. */
  static List<Row> allOf(String json, String unknownHost) {
    List<Row> rows = new ArrayList<>();
    for (JsonElement row : JsonParser.parseString(json).getAsJsonArray()) {
      rows.add(of(row.getAsJsonArray(), unknownHost));
    }
    return rows;
  }

  private static Row of(JsonArray row, String unknownHost) {
    HostAndPort owner = null;
    if (row.size() > 2) {
      // A node is [endpoint, port, id, {metadata}]. A null endpoint is that of the node that says so.
      JsonArray primary = row.get(2).getAsJsonArray();
      JsonElement endpoint = primary.get(0);
      owner = new HostAndPort(endpoint.isJsonNull() ? unknownHost : endpoint.getAsString(), primary.get(1).getAsInt());
    }
    return new Row(row.get(0).getAsInt(), row.get(1).getAsInt(), owner);
  }
}
