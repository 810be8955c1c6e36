import type { HttpRequest } from "./http-request.ts";
import { send } from "./send.ts";

/**
 * Sends at a fixed rate, independent of the answers. Returns the duration of each in milliseconds. A stall of
 * the server counts for every delayed request. autocannon's rate limit sends each second's requests in
 * one burst.
 */
export async function pace(
  request: HttpRequest,
  load: { perSecond: number; seconds: number; expectedBody: string },
): Promise<number[]> {
  const total = load.perSecond * load.seconds;
  const answers: Promise<number>[] = [];
  const startedAt = performance.now();
  while (answers.length < total) {
    const elapsedMs = performance.now() - startedAt;
    const dueCount = Math.min(total, Math.floor((elapsedMs / 1000) * load.perSecond) + 1);
    while (answers.length < dueCount) answers.push(time(request, load.expectedBody));
    await Bun.sleep(1);
  }
  return Promise.all(answers);
}

async function time(request: HttpRequest, expectedBody: string): Promise<number> {
  const sentAt = performance.now();
  const body = await send(request);
  const tookMs = performance.now() - sentAt;
  if (body !== expectedBody) throw new Error(`${request.url} answered ${body.slice(0, 500)}`);
  return tookMs;
}
