package slotcast.compat;

/** The command line of all programs; package compat says what each task prints. */
public final class Program {
  private static final String USAGE =
      "usage: subscribe <addr> <resp> single|cluster <channel>...\n"
          + "       keys <addr> <resp> single|cluster\n"
          + "       load <addr> <resp> cluster off|on";

  private Program() {}

  /** Runs one task and ends the process. */
  public static void run(Library library, String[] args) {
    try {
      if (args.length < 4) {
        throw new IllegalArgumentException(USAGE);
      }
      int colon = args[1].lastIndexOf(':');
      Library.Target target =
          new Library.Target(
              args[1].substring(0, colon),
              Integer.parseInt(args[1].substring(colon + 1)),
              Integer.parseInt(args[2]),
              args[3].equals("cluster"));
      switch (args[0]) {
        case "subscribe" -> subscribe(library.connect(target), java.util.Arrays.copyOfRange(args, 4, args.length));
        case "keys" -> keys(library.connect(target));
        case "load" -> {
          boolean on = args[4].equals("on");
          new Load(on ? library.connectFollowing(target) : library.connect(target)).run();
        }
        default -> throw new IllegalArgumentException(USAGE);
      }
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0); // at once: a client that closes in order would print as it goes
  }

  private static void subscribe(Client client, String[] channels) throws Exception {
    Printer printer = new Printer();
    Thread subscriber =
        new Thread(
            () -> {
              try {
                client.subscribe(channels, printer);
              } catch (Throwable e) { // what ends the thread of a user
                printer.error(e);
                e.printStackTrace();
                Runtime.getRuntime().halt(1);
              }
            });
    subscriber.setDaemon(true);
    subscriber.start();
    awaitEndOfInput();
  }

  private static void keys(Client client) throws Exception {
    for (int i = 0; i < 50; i++) {
      client.set("key:" + i, String.valueOf(i));
    }
    int right = 0;
    for (int i = 0; i < 50; i++) {
      if (String.valueOf(i).equals(client.get("key:" + i))) {
        right++;
      }
    }
    System.out.println("keys " + right);
  }

  static void awaitEndOfInput() throws java.io.IOException {
    while (System.in.read() >= 0) {
      // Whatever comes is not looked at.
    }
  }
}
