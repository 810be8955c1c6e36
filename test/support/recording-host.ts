import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Json } from "@hub/connector";

/** A received request. The target is neither decoded nor resolved. */
export type SentRequest = {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
};

export type HostAnswer = {
  /** The default is 200. */
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, other values as JSON. */
  body?: Json;
};

export type AnswerRequest = (sent: SentRequest) => HostAnswer | Promise<HostAnswer>;

/** An outside system that records its requests. */
export type RecordingHost = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  port: number;
  /** Removes and returns the recorded requests, oldest first. */
  takeSent(): SentRequest[];
  /** Replaces the function that answers. */
  answerBy(next: AnswerRequest): void;
};

export async function startRecordingHost(first: AnswerRequest): Promise<RecordingHost> {
  let answerRequest = first;
  let sent: SentRequest[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      const request = await readRequest(req);
      sent.push(request);
      writeAnswer(res, await answerRequest(request));
    })().catch((thrown) => res.destroy(thrown));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    takeSent() {
      const taken = sent;
      sent = [];
      return taken;
    },
    answerBy(next) {
      answerRequest = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(req: IncomingMessage): Promise<SentRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: req.method ?? "",
    target: req.url ?? "",
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString(),
  };
}

function writeAnswer(res: ServerResponse, answer: HostAnswer): void {
  const { status = 200, headers = {}, body } = answer;
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  res.writeHead(status, { ...(body !== undefined && { "content-type": type }), ...headers });
  res.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
}
