import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { createByteCollector } from "../lib/collect-bytes.ts";
import { decodeUtf8 } from "../lib/decode-utf8.ts";
import { type ChunkReader, createChunkReader } from "../lib/read-chunks.ts";
import type { Timers } from "../lib/timers.ts";
import { toClientNetwork } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";
import { createBodyPace, refuseSize } from "./body-pace.ts";
import { findClientIp } from "./find-client.ts";
import { type BodyCounter, createIncomingBodies, type IncomingBodies } from "./incoming-bodies.ts";
import { createFileReader } from "./read-file.ts";

const mebibyte = 1024 * 1024;
/** Limit for MCP and the API. */
const messageBytesMax = 4 * mebibyte;
const webhookBytesMax = 10 * mebibyte;
/** Limit for events of a chat platform. */
const eventBytesMax = mebibyte;
/** Limit for forms and `/oauth`, which do not require authentication. */
const formBytesMax = 64 * 1024;
/** Bodies up to this Content-Length are read at once, which is cheaper, and are not counted. */
const uncountedBytesMax = 16 * 1024;

type ReadBodyDeps = {
  timers: Timers;
  bytesMax: number;
  incoming: IncomingBodies;
};

type FindSender = (ctx: Context<AppEnv>) => string;

/** Creates the body readers. Users and unauthenticated senders have separate limits. */
export function createBodyReaders({ timers }: { timers: Timers }) {
  const ofUsers = {
    timers,
    bytesMax: messageBytesMax,
    incoming: createIncomingBodies({ allBytesMax: 256 * mebibyte, ownBytesMax: 64 * mebibyte }),
  };
  const ofAddresses = {
    timers,
    bytesMax: formBytesMax,
    incoming: createIncomingBodies({ allBytesMax: 64 * mebibyte, ownBytesMax: 4 * mebibyte }),
  };
  const ofSenders = {
    timers,
    bytesMax: webhookBytesMax,
    incoming: createIncomingBodies({ allBytesMax: 256 * mebibyte, ownBytesMax: 64 * mebibyte }),
  };
  return {
    /** The body of a chat platform's request. Without authentication. */
    readChannelEvents: (req: Request, network: string) =>
      readBytes({ ...ofSenders, bytesMax: eventBytesMax }, req, network),
    /** The body of a webhook as it was sent. Without authentication. */
    readWebhook: (req: Request, network: string) => readBytes(ofSenders, req, network),
    /** The body of a user's message; null if the bytes are not valid UTF-8. */
    readMessage: (req: Request, userId: string) => readBody(ofUsers, req, userId),
    /** After the API's authentication. */
    readApiBody: toMiddleware(ofUsers, (ctx) => ctx.get("apiCaller").caller.userId),
    /** A file in the body of the API, in portions. */
    readFile: createFileReader({ timers }),
    /** Without authentication. */
    readForm: toMiddleware(ofAddresses, (ctx) => toClientNetwork(findClientIp(ctx) ?? "")),
  };
}

export type BodyReaders = ReturnType<typeof createBodyReaders>;

function toMiddleware(deps: ReadBodyDeps, findSender: FindSender) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    // A path that two routes match runs this twice.
    if (ctx.get("body") === undefined) {
      ctx.set("body", await readBody(deps, ctx.req.raw, findSender(ctx)));
    }
    await next();
  });
}

/**
 * Stops bodies that would exhaust the memory, by Content-Length and by counting the bytes received;
 * bodies that arrive too slowly; and too many of them at once.
 */
async function readBody(deps: ReadBodyDeps, req: Request, sender: string): Promise<string | null> {
  return decodeUtf8(await readBytes(deps, req, sender));
}

async function readBytes(deps: ReadBodyDeps, req: Request, sender: string): Promise<Uint8Array> {
  const counter = deps.incoming.open(sender);
  try {
    return await readInTime(deps, req, counter);
  } finally {
    counter.close();
  }
}

function readInTime(
  { timers, bytesMax }: ReadBodyDeps,
  req: Request,
  counter: BodyCounter,
): Promise<Uint8Array> | Uint8Array {
  const announced = Number(req.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) throw refuseSize(bytesMax);
  if (req.body === null) return new Uint8Array();
  const pace = createBodyPace(timers);
  if (announced >= 0 && announced <= uncountedBytesMax) return waitForBody(req.bytes(), pace);
  const reader = createChunkReader(req.body.getReader());
  const body = collect(reader, (bytes, own) => {
    if (own > bytesMax) throw refuseSize(bytesMax);
    counter.add(bytes);
    pace.note(bytes);
  });
  return waitForBody(body, pace, reader.cancel);
}

async function waitForBody(
  body: Promise<Uint8Array>,
  pace: ReturnType<typeof createBodyPace>,
  cancel = () => {},
): Promise<Uint8Array> {
  try {
    return await Promise.race([body, pace.lost]);
  } catch (thrown) {
    cancel();
    // The rest of the body is not read, so its failure is ignored.
    body.catch(() => {});
    if (thrown instanceof HubError) throw thrown;
    throw new HubError("invalid_request", "The connection broke before the body was complete.");
  } finally {
    pace.end();
  }
}

async function collect(
  reader: ChunkReader,
  count: (bytes: number, own: number) => void,
): Promise<Uint8Array> {
  const collector = createByteCollector();
  let own = 0;
  for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
    own += piece.length;
    count(piece.length, own);
    collector.add(piece);
  }
  return collector.take();
}
