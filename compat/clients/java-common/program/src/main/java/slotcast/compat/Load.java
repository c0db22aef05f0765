package slotcast.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Four workers that set and get random keys until standard input ends. */
final class Load {
  private static final int WORKERS = 4;
  private static final int KEYS = 10_000;

  private final Client client;
  private final CountDownLatch working = new CountDownLatch(WORKERS);
  private volatile boolean ended;

  Load(Client client) {
    this.client = client;
  }

  void run() throws Exception {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Worker worker = new Worker(i);
      workers.add(worker);
      worker.start();
    }
    working.await();
    System.out.println("loading");
    System.out.flush();
    Program.awaitEndOfInput();
    ended = true;
    for (Worker worker : workers) {
      worker.join();
    }

    int[] all = workers.stream().flatMapToInt(w -> IntStream.of(w.micros).limit(w.operations)).sorted().toArray();
    Map<String, Integer> errors = new TreeMap<>();
    workers.forEach(w -> w.errors.forEach((text, count) -> errors.merge(text, count, Integer::sum)));
    System.out.println("operations " + all.length);
    System.out.println("errors " + errors.values().stream().mapToInt(Integer::intValue).sum());
    System.out.println("p50 " + percentile(all, 50));
    System.out.println("p99 " + percentile(all, 99));
    System.out.println("max " + percentile(all, 100));
    System.out.flush();
    errors.forEach((text, count) -> System.err.println(count + " times " + text));
  }

  private static int percentile(int[] sorted, int percent) {
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100];
  }

  private final class Worker extends Thread {
    private final Random random;
    private final Map<String, Integer> errors = new TreeMap<>();
    private int[] micros = new int[1 << 16];
    private int operations;

    Worker(int number) {
      random = new Random(number);
    }

    @Override
    public void run() {
      while (!ended) {
        String key = "load:" + random.nextInt(KEYS);
        long start = System.nanoTime();
        try {
          if (random.nextBoolean()) {
            client.set(key, key);
          } else {
            client.get(key);
          }
        } catch (Exception e) {
          errors.merge(e.toString().replaceAll("\\s+", " "), 1, Integer::sum);
        }
        if (operations == micros.length) {
          micros = Arrays.copyOf(micros, 2 * operations);
        }
        micros[operations++] = (int) ((System.nanoTime() - start) / 1000);
        if (operations == 1) {
          working.countDown();
        }
      }
    }
  }
}
