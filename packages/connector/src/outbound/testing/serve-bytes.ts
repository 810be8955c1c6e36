import { createServer, type Socket } from "node:net";
import { createRequestParser, type ParsedRequest } from "./parse-requests.ts";

/** A request as its bytes say it. */
export type SentRequest = ParsedRequest & {
  /** The number of its connection, in the order in which they were opened. */
  connection: number;
};

export type ByteServer = AsyncDisposable & {
  port: number;
  requests: SentRequest[];
  /** What was received where a request should begin or go on. */
  faults: string[];
};

/** The answer to a request. The default is status 200. */
export type GivenAnswer = { status?: number; headers?: Record<string, string>; body: string };

/**
 * A server on this machine that reads what arrives byte by byte, and keeps each connection open. It takes
 * nothing for a body that the headers do not announce.
 */
export async function serveBytes(
  answer: (request: SentRequest) => GivenAnswer = () => ({ body: "ok" }),
): Promise<ByteServer> {
  const requests: SentRequest[] = [];
  const faults: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    const parser = createRequestParser();
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      try {
        for (const parsed of parser.push(bytes)) {
          const request = { ...parsed, connection };
          requests.push(request);
          socket.write(toAnswer(parsed.method, answer(request)));
        }
      } catch (thrown) {
        faults.push(`connection ${connection}: ${String(thrown)}`);
        socket.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    requests,
    faults,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function toAnswer(method: string, { status = 200, headers = {}, body }: GivenAnswer): string {
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body) });
  const head = [`HTTP/1.1 ${status} Answer`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join("\r\n")}\r\n\r\n${method === "HEAD" ? "" : body}`;
}
