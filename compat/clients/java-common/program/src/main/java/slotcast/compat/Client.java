package slotcast.compat;

/** What the tasks ask of a library's client. */
public interface Client {
  /**
   * Subscribes in one call, as patterns where a name holds a '*', in the way that the library's
   * documentation shows, and hands over what arrives. Blocks or returns, as the library does.
   */
  void subscribe(String[] channels, Printer printer) throws Exception;

  /** Sets a key. */
  void set(String key, String value) throws Exception;

  /** Gets a key; null if there is none. */
  String get(String key) throws Exception;
}
