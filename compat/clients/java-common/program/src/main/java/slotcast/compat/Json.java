package slotcast.compat;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;

/** Writes what a library hands over as JSON: a string in quotes, a list as an array. */
final class Json {
  private Json() {}

  static String text(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof byte[] bytes) {
      quote(out, new String(bytes, StandardCharsets.UTF_8));
    } else if (value instanceof Map<?, ?> map) {
      out.append('{');
      for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
        Map.Entry<?, ?> entry = entries.next();
        quote(out, String.valueOf(entry.getKey()));
        out.append(':');
        write(out, entry.getValue());
        out.append(entries.hasNext() ? "," : "");
      }
      out.append('}');
    } else if (value instanceof Iterable<?> list) {
      out.append('[');
      for (Iterator<?> elements = list.iterator(); elements.hasNext(); ) {
        write(out, elements.next());
        out.append(elements.hasNext() ? "," : "");
      }
      out.append(']');
    } else {
      quote(out, value.toString());
    }
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
