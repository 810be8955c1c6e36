import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that Linux gives to connections and to servers on port 0. */
const first = 15_000;
const last = 32_767;

/**
 * Finds a free port, for a program that needs its number before it starts, or that starts again on it. Other programs
 * do not get it in between by chance, unlike a port that the system chose.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      return port;
    } catch {
      // It is taken.
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
