import type { HttpRequest } from "./http-request.ts";
import { send } from "./send.ts";

/**
 * Sends at a fixed rate whatever the answers do, and returns the milliseconds that each took. A
 * server that stalls is asked on, so that its stall counts once for each request that it met;
 * autocannon's own rate sends each second's requests in one burst.
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
