import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { decodeUtf8 } from "../lib/decode-utf8.ts";
import type { Timers } from "../lib/timers.ts";
import type { AppEnv } from "./app-env.ts";

const bodyBytesMax = 4 * 1024 * 1024;
/** Less than the server's idle timeout, which would cut the connection without a word. */
const bodyMsMax = 25_000;

/**
 * Stops bodies that would fill the memory, by the length they announce and by counting where they
 * announce none, and bodies that trickle in for ever.
 */
export function readBody({ timers }: { timers: Timers }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    ctx.set("body", decodeUtf8(await readInTime(timers, ctx.req.raw)));
    await next();
  });
}

async function readInTime(timers: Timers, req: Request): Promise<Uint8Array> {
  const announced = req.headers.get("content-length");
  if (announced !== null && Number(announced) > bodyBytesMax) throw refuseSize();
  const late = Promise.withResolvers<never>();
  const callOff = timers.after(bodyMsMax, () => late.reject(refusePace()));
  try {
    return await Promise.race([announced === null ? readCounting(req) : req.bytes(), late.promise]);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError("invalid_request", "The body did not arrive whole.");
  } finally {
    callOff();
  }
}

async function readCounting(req: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of req.body ?? []) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw refuseSize();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuseSize(): HubError {
  return new HubError("body_too_large", `A body is at most ${bodyBytesMax} bytes long.`);
}

function refusePace(): HubError {
  const seconds = bodyMsMax / 1000;
  return new HubError(
    "body_too_slow",
    `The body did not arrive within ${seconds} s. Send it again.`,
  );
}
