import { once } from "node:events";
import net from "node:net";
import { createStatementReader } from "./read-statements.ts";

/** The network between one server and its database. */
export type DatabaseProxy = AsyncDisposable & {
  url: string;
  /** Ends all connections, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
};

type ProxyOptions = {
  /** Gets the text of each statement that a client runs, in the order of their arrival. */
  onStatement?(statement: string): void;
};

export async function startDatabaseProxy(
  databaseUrl: string,
  { onStatement }: ProxyOptions = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = net.createServer((client) => {
    if (isCut) return void client.destroy();
    const database = net.connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      socket
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
      sockets.add(socket);
    }
    if (onStatement !== undefined) client.on("data", createStatementReader(onStatement));
    client.pipe(database).pipe(client);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address?.port);
  return {
    url: url.href,
    cut() {
      isCut = true;
      end();
    },
    restore() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      proxy.close();
      end();
    },
  };
}
