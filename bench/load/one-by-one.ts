import type { HttpRequest } from "./http-request.ts";
import { send } from "./send.ts";

/** Sends the requests one after the other and returns the milliseconds that each took. */
export async function sendOneByOne(requests: readonly HttpRequest[]): Promise<number[]> {
  const tookMs: number[] = [];
  for (const request of requests) {
    const sentAt = performance.now();
    await send(request);
    tookMs.push(performance.now() - sentAt);
  }
  return tookMs;
}
