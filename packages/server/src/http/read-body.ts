import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { decodeUtf8 } from "../lib/decode-utf8.ts";
import type { Timers } from "../lib/timers.ts";
import { toClientNetwork } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";
import { type Arrival, type Arrivals, createArrivals } from "./arrivals.ts";
import { findClientIp } from "./find-client-ip.ts";

const mebibyte = 1024 * 1024;
/** Of a message to MCP or the API. */
const messageBytesMax = 4 * mebibyte;
/** Of a form, and of what is sent to `/oauth`: strangers send these, and they are short. */
const formBytesMax = 64 * 1024;
/** A shorter body that announces its length is read at once, which is cheaper; it is not counted. */
const uncountedBytesMax = 16 * 1024;
/** Less than the server's idle timeout, which would cut the connection without a word. */
const pauseMsMax = 25_000;
/** A body may take longer than a pause as long as it arrives at this rate: 40 kB/s is a slow phone. */
const bytesPerMsMin = 32;

type ReadBodyDeps = {
  timers: Timers;
  bytesMax: number;
  arrivals: Arrivals;
  findSender(ctx: Context<AppEnv>): string;
};

/** The ways in which bodies are read: users and strangers never share a limit. */
export function createBodyReaders({ timers }: { timers: Timers }) {
  const ofUsers = {
    timers,
    bytesMax: messageBytesMax,
    arrivals: createArrivals({ allBytesMax: 256 * mebibyte, ownBytesMax: 64 * mebibyte }),
  };
  const ofAddresses = {
    timers,
    bytesMax: formBytesMax,
    arrivals: createArrivals({ allBytesMax: 64 * mebibyte, ownBytesMax: 4 * mebibyte }),
    findSender: (ctx: Context<AppEnv>) => toClientNetwork(findClientIp(ctx) ?? ""),
  };
  return {
    /** Behind the bearer of MCP. */
    readMessage: readBody({ ...ofUsers, findSender: (ctx) => ctx.get("caller").userId }),
    /** Behind the check of who asks the API. */
    readApiBody: readBody({
      ...ofUsers,
      findSender: (ctx) => ctx.get("apiCaller").caller.userId,
    }),
    /** Before anything is known of the sender. */
    readForm: readBody(ofAddresses),
  };
}

export type BodyReaders = ReturnType<typeof createBodyReaders>;

/**
 * Stops bodies that would fill the memory, by the length they announce and by counting what has
 * arrived; bodies that trickle in for ever; and many of them at once.
 */
function readBody(deps: ReadBodyDeps) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    // A path that two routes match comes by here twice.
    if (ctx.get("body") !== undefined) return await next();
    const arrival = deps.arrivals.open(deps.findSender(ctx));
    try {
      ctx.set("body", decodeUtf8(await readInTime(deps, ctx.req.raw, arrival)));
    } finally {
      arrival.close();
    }
    await next();
  });
}

async function readInTime(
  { timers, bytesMax }: ReadBodyDeps,
  req: Request,
  arrival: Arrival,
): Promise<Uint8Array> {
  const announced = Number(req.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) throw refuseSize(bytesMax);
  if (req.body === null) return new Uint8Array();
  const pace = createPace(timers);
  const body =
    announced >= 0 && announced <= uncountedBytesMax
      ? req.bytes()
      : readCounting(req.body.getReader(), (bytes, own) => {
          if (own > bytesMax) throw refuseSize(bytesMax);
          arrival.add(bytes);
          pace.note(bytes);
        });
  try {
    return await Promise.race([body, pace.lost]);
  } catch (thrown) {
    // What still comes of it is read by nothing any more.
    body.catch(() => {});
    if (thrown instanceof HubError) throw thrown;
    throw new HubError("invalid_request", "The body did not arrive whole.");
  } finally {
    pace.end();
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

async function readCounting(
  reader: Reader,
  count: (bytes: number, own: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let own = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      own += next.value.length;
      count(next.value.length, own);
      chunks.push(next.value);
    }
  } catch (thrown) {
    reader.cancel().catch(() => {});
    throw thrown;
  }
  return Buffer.concat(chunks);
}

/** `lost` rejects when a body has fallen behind: each byte that came lengthens its time a little. */
function createPace(timers: Timers) {
  const startedAt = timers.now();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  let arrived = 0;
  let cancelTimer = timers.after(pauseMsMax, check);

  function check(): void {
    const msLeft = pauseMsMax + Math.floor(arrived / bytesPerMsMin) - (timers.now() - startedAt);
    if (msLeft > 0) cancelTimer = timers.after(msLeft, check);
    else reject(refusePace());
  }

  return {
    lost,
    note(bytes: number) {
      arrived += bytes;
    },
    end: () => cancelTimer(),
  };
}

function refuseSize(bytesMax: number): HubError {
  return new HubError("body_too_large", `A body is at most ${bytesMax} bytes long here.`);
}

function refusePace(): HubError {
  const seconds = pauseMsMax / 1000;
  return new HubError(
    "body_too_slow",
    `The body did not arrive within ${seconds} s, nor at ${bytesPerMsMin} kB/s. Send it again.`,
  );
}
