import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { decodeUtf8 } from "../lib/decode-utf8.ts";
import type { Timers } from "../lib/timers.ts";
import type { AppEnv } from "./app-env.ts";

const bodyBytesMax = 4 * 1024 * 1024;
/** What all bodies together may have in memory before they are whole. */
const arrivingBytesMax = 256 * 1024 * 1024;
/** Less than the server's idle timeout, which would cut the connection without a word. */
const bodyMsMax = 25_000;

/**
 * Stops bodies that would fill the memory, by the length they announce and by counting where they
 * announce none; bodies that trickle in for ever; and many of them at once.
 */
export function readBody({ timers }: { timers: Timers }) {
  let arrivingBytes = 0;

  /** Counts one body in; what it returns counts it out again. */
  function openCount(): Count {
    let own = 0;
    let isClosed = false;
    return {
      add(bytes) {
        // Given up already: what still comes is not counted out any more.
        if (isClosed) throw refusePace();
        own += bytes;
        arrivingBytes += bytes;
        if (own > bodyBytesMax) throw refuseSize();
        if (arrivingBytes > arrivingBytesMax) throw refuseCrowd();
      },
      close() {
        isClosed = true;
        arrivingBytes -= own;
      },
    };
  }

  return createMiddleware<AppEnv>(async (ctx, next) => {
    const count = openCount();
    try {
      ctx.set("body", decodeUtf8(await readInTime(timers, ctx.req.raw, count)));
    } finally {
      count.close();
    }
    await next();
  });
}

type Count = {
  /** Throws when this body, or all of them, have become too much. */
  add(bytes: number): void;
  close(): void;
};

async function readInTime(timers: Timers, req: Request, count: Count): Promise<Uint8Array> {
  const announced = Number(req.headers.get("content-length") ?? Number.NaN);
  const isAnnounced = Number.isSafeInteger(announced) && announced >= 0;
  if (isAnnounced) count.add(announced);
  const late = Promise.withResolvers<never>();
  const callOff = timers.after(bodyMsMax, () => late.reject(refusePace()));
  const body = isAnnounced ? req.bytes() : readCounting(req, count);
  try {
    return await Promise.race([body, late.promise]);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError("invalid_request", "The body did not arrive whole.");
  } finally {
    callOff();
  }
}

async function readCounting(req: Request, count: Count): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of req.body ?? []) {
    count.add(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuseSize(): HubError {
  return new HubError("body_too_large", `A body is at most ${bodyBytesMax} bytes long.`);
}

function refuseCrowd(): HubError {
  return new HubError(
    "rate_limited",
    "Too many large messages are on their way at once; try again in a while.",
  );
}

function refusePace(): HubError {
  const seconds = bodyMsMax / 1000;
  return new HubError(
    "body_too_slow",
    `The body did not arrive within ${seconds} s. Send it again.`,
  );
}
