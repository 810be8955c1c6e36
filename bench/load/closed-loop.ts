import type { HttpRequest } from "./http-request.ts";
import { send } from "./send.ts";

type ClosedLoop = {
  connections: number;
  /** The number of requests, or for how long to send. */
  until: { count: number } | { seconds: number };
  expectedBody: string;
};

/**
 * Each connection sends its next request after the answer. Slower than `saturate`, but every request can be
 * another one. Returns the duration of each in milliseconds.
 */
export async function sendInLoop(
  toRequest: (index: number) => HttpRequest,
  { connections, until, expectedBody }: ClosedLoop,
): Promise<number[]> {
  const tookMs: number[] = [];
  const startedAt = performance.now();
  let sent = 0;
  const isOver = () =>
    "count" in until ? sent >= until.count : performance.now() - startedAt >= until.seconds * 1000;
  const connect = async () => {
    while (!isOver()) {
      const request = toRequest(sent++);
      const sentAt = performance.now();
      const body = await send(request);
      tookMs.push(performance.now() - sentAt);
      if (body !== expectedBody) throw new Error(`${request.url} answered ${body.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  return tookMs;
}
