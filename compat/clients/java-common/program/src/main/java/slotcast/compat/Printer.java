package slotcast.compat;

/** Prints what a subscriber is handed, one line each, from whichever thread it comes. */
public final class Printer {
  public void subscribed(String channel) {
    print("subscribed " + channel);
  }

  public void message(String channel, Object payload) {
    print("message " + channel + " " + Json.text(payload));
  }

  public void patternMessage(String pattern, String channel, Object payload) {
    print("pmessage " + pattern + " " + channel + " " + Json.text(payload));
  }

  /** Prints an error that the library hands to its user. */
  public void error(Throwable error) {
    print("error " + String.valueOf(error).replaceAll("\\s+", " "));
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
