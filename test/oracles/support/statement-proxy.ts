import { once } from "node:events";
import net from "node:net";

/** A proxy before PostgreSQL that notes what clients run. */
export type StatementProxy = AsyncDisposable & {
  url: string;
  /** The texts of the statements since the last call, in the order of their arrival. */
  takeStatements(): string[];
};

export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const target = new URL(databaseUrl);
  const statements: string[] = [];
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const database = net.connect(Number(target.port), target.hostname);
    const read = createReader((statement) => statements.push(statement));
    for (const socket of [client, database]) {
      sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    }
    client.on("data", read).pipe(database).pipe(client);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address?.port);
  return {
    url: url.href,
    takeStatements: () => statements.splice(0),
    async [Symbol.asyncDispose]() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the messages of one connection: Parse names a statement, Bind runs it, Query does both. */
function createReader(note: (statement: string) => void): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let unread = Buffer.alloc(0);
  // The first message has no type.
  let isStarted = false;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (unread.length < start + 4) return;
      const end = start + unread.readInt32BE(start);
      if (unread.length < end) return;
      const type = isStarted ? String.fromCharCode(unread[0] ?? 0) : "";
      const [first = "", second = ""] = unread.toString("utf8", start + 4, end).split("\0", 2);
      unread = unread.subarray(end);
      isStarted = true;
      if (type === "P") prepared.set(first, second);
      else if (type === "B") note(prepared.get(second) ?? second);
      else if (type === "Q") note(first);
    }
  };
}
