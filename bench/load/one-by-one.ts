import type { HttpRequest } from "./http-request.ts";
import { send } from "./send.ts";

/** Sends the requests in sequence. Returns the duration of each in milliseconds. */
export async function sendOneByOne(requests: readonly HttpRequest[]): Promise<number[]> {
  const tookMs: number[] = [];
  for (const request of requests) {
    const sentAt = performance.now();
    await send(request);
    tookMs.push(performance.now() - sentAt);
  }
  return tookMs;
}
