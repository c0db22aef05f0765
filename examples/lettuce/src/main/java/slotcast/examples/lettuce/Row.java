package slotcast.examples.lettuce;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;

import java.util.ArrayList;
import java.util.List;

/**
 * A range of slots and its owner, as a row of CLUSTER SLOTS gives it: [first, last, primary,
 * replica, …]. The owner is null where the slots belong to nobody.
 */
public record Row(int first, int last, Owner owner) {
  /** Where a primary is; the host is null if the node that says so does not know its own. */
  public record Owner(String host, int port, String id) {}

  /** Reads the JSON text of one row. */
  static Row of(String json) {
    return of(JsonParser.parseString(json).getAsJsonArray());
  }

  /** Reads the JSON text of a whole map. */
  static List<Row> allOf(String json) {
    List<Row> rows = new ArrayList<>();
    for (JsonElement row : JsonParser.parseString(json).getAsJsonArray()) {
      rows.add(of(row.getAsJsonArray()));
    }
    return rows;
  }

  private static Row of(JsonArray row) {
    Owner owner = null;
    if (row.size() > 2) {
      JsonArray primary = row.get(2).getAsJsonArray(); // [endpoint, port, id, {metadata}]
      JsonElement endpoint = primary.get(0);
      owner =
          new Owner(
              endpoint.isJsonNull() ? null : endpoint.getAsString(),
              primary.get(1).getAsInt(),
              primary.get(2).getAsString());
    }
    return new Row(row.get(0).getAsInt(), row.get(1).getAsInt(), owner);
  }
}
