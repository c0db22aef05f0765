package slotcast.compat;

/** Creates clients as the library's documentation does: nothing is set but what is asked for. */
public interface Library {
  /** What a program is asked for: where, the protocol (2 or 3), and the kind of client. */
  record Target(String host, int port, int resp, boolean cluster) {}

  /** Connects a client. */
  Client connect(Target target) throws Exception;

  /** Connects a cluster client whose slot map follows the push, by the recipe in examples. */
  default Client connectFollowing(Target target) throws Exception {
    throw new UnsupportedOperationException("there is no recipe for this library");
  }
}
