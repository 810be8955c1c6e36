import { connect, type Socket } from "node:net";

export type RawAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** A TCP connection on which a test sends arbitrary bytes. */
export type RawConnection = AsyncDisposable & {
  socket: Socket;
  send(bytes: string | Uint8Array): void;
  /**
   * The next complete answer; null if the connection ends without one. The answer to a HEAD request
   * has no body, whatever its Content-Length says.
   */
  answer(to?: { isHead: boolean }): Promise<RawAnswer | null>;
  /** Resolves when the other side closes or resets the connection. */
  closed: Promise<void>;
};

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  // A reset is handled like a close.
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      wake();
      resolve();
    });
  });
  await new Promise((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", resolve);
  });

  return {
    socket,
    closed,
    send: (bytes) => void socket.write(bytes),
    async answer({ isHead } = { isHead: false }) {
      for (;;) {
        const found = takeAnswer(received, { isClosed, isHead });
        if (found !== null) {
          received = received.subarray(found.length);
          return found.answer;
        }
        if (isClosed) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed;
    },
  };
}

/** A request as text, with its body unchanged. */
export function toRequest(line: string, headers: readonly string[], body = ""): string {
  return `${[line, ...headers].join("\r\n")}\r\n\r\n${body}`;
}

function takeAnswer(
  bytes: Buffer,
  given: { isClosed: boolean; isHead: boolean },
): { answer: RawAnswer; length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = headEnd + 4;
  // The final answer follows 100 Continue.
  if (status === 100) {
    const rest = takeAnswer(bytes.subarray(start), given);
    return rest && { ...rest, length: rest.length + start };
  }
  const end = given.isHead ? start : findBodyEnd(bytes, start, headers, given.isClosed);
  if (end === null) return null;
  return { answer: { status, headers, body: bytes.toString("utf8", start, end) }, length: end };
}

function findBodyEnd(
  bytes: Buffer,
  start: number,
  headers: Record<string, string>,
  isClosed: boolean,
): number | null {
  if (headers["transfer-encoding"] === "chunked") {
    const last = bytes.indexOf("0\r\n\r\n", start);
    return last === -1 ? null : last + 5;
  }
  const length = headers["content-length"];
  if (length === undefined) return isClosed ? bytes.length : null;
  return bytes.length >= start + Number(length) ? start + Number(length) : null;
}
