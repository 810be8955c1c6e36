import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HubError } from "../../errors.ts";
import { budgetTable } from "../../lib/budgets/budget-table.ts";
import { createByteCollector } from "../../lib/streams/collect-bytes.ts";
import { type ChunkReader, createChunkReader } from "../../lib/streams/read-chunks.ts";
import { decodeUtf8 } from "../../lib/text/decode-utf8.ts";
import { createTurnWatch, type TurnWatch } from "../../lib/time/loop-watch.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { webhookBytesMax } from "../../workflows/webhooks/body/unpack-body.ts";
import type { AppEnv } from "../app-env.ts";
import { createPortions, type Portions } from "../queue/request-portions.ts";
import type { RequestQueue, RequestQueueKey } from "../queue/request-queue.ts";
import { toBrowserQueueKey, toUserQueueKey } from "../queue/request-queue-keys.ts";
import { createBodyPace, refuseSize } from "./body-pace.ts";
import { type BodyCounter, createIncomingBodies, type IncomingBodies } from "./incoming-bodies.ts";
import { createFileReader } from "./read-file.ts";
import type { UnreadBodies } from "./unread-bodies.ts";

const mebibyte = 1024 * 1024;
/** Limit for MCP and the API. */
const messageBytesMax = 4 * mebibyte;
/** Limit for events of a chat platform. */
const eventBytesMax = mebibyte;
/** Limit for forms and `/oauth`, which do not require authentication. */
const formBytesMax = 64 * 1024;
/** Fields of a form. Its separators are counted in every body without authentication. */
const fieldsMax = 1_000;
const ampersand = 0x26;
/** The bodies of all users, or of all senders of webhooks, may have this many times the budget of one of them. */
const allBodiesFactor = 4;
/** Bodies up to this Content-Length are read at once, which is cheaper, and are not counted. */
const uncountedBytesMax = 16 * 1024;

type ReadBodyDeps = {
  timers: Timers;
  /** Of the refusals of slow bodies. */
  portions: Portions;
  turns: TurnWatch;
  queue: RequestQueue;
  unread: UnreadBodies;
  bytesMax: number;
  incoming: IncomingBodies;
  /** Throws if the body is expensive to parse. */
  check?: (raw: Uint8Array) => void;
};

type FindQueueKey = (ctx: Context<AppEnv>) => RequestQueueKey;

/** A body, and the permit of its request. `hold` counts what is made of it, for its sender. `release` releases the permit. */
type Entered = { raw: Uint8Array; hold: (bytes: number) => void; release: () => void };

/**
 * Creates the body readers. Users and unauthenticated senders have separate limits. A request gets its
 * permit when its body has arrived, since a body may take a minute. The body counts for its sender until
 * the permit is released.
 */
export function createBodyReaders({
  timers,
  queue,
  unread,
  bodyBytes = budgetTable.bodyBytes.default,
}: {
  timers: Timers;
  queue: RequestQueue;
  unread: UnreadBodies;
  /** The budget of this name. */
  bodyBytes?: number;
}) {
  const large = { allBytesMax: allBodiesFactor * bodyBytes, ownBytesMax: bodyBytes };
  const portions = createPortions();
  const shared = { timers, portions, turns: createTurnWatch(), queue, unread };
  const ofUsers = {
    ...shared,
    bytesMax: messageBytesMax,
    incoming: createIncomingBodies(large),
  };
  const ofAddresses = {
    ...shared,
    bytesMax: formBytesMax,
    incoming: createIncomingBodies({ allBytesMax: 64 * mebibyte, ownBytesMax: 4 * mebibyte }),
  };
  const ofSenders = {
    ...shared,
    bytesMax: webhookBytesMax,
    incoming: createIncomingBodies(large),
  };
  return {
    /** The body of a chat platform's request. Without authentication. */
    readChannelEvents: (req: Request, queueKey: RequestQueueKey) =>
      readAndEnter({ ...ofSenders, bytesMax: eventBytesMax }, req, queueKey),
    /** The body of a webhook as it was sent. Without authentication. */
    readWebhook: (req: Request, queueKey: RequestQueueKey) =>
      readAndEnter(ofSenders, req, queueKey),
    /** After the authentication of a SCIM client. */
    readScim: (req: Request, queueKey: RequestQueueKey) => readAndEnter(ofUsers, req, queueKey),
    /** The body of a user's message, when its lane admits it; null if the bytes are not valid UTF-8. */
    readMessage: (req: Request, queueKey: RequestQueueKey) => readInLane(ofUsers, req, queueKey),
    /** After the API's authentication. */
    readApiBody: toMiddleware(ofUsers, (ctx) => toUserQueueKey(ctx.get("apiCaller").caller.userId)),
    /** A file in the body of the API, in portions. */
    readFile: createFileReader({ timers, unread }),
    /** Without authentication. */
    readForm: toMiddleware({ ...ofAddresses, check: checkFields }, toBrowserQueueKey),
  };
}

export type BodyReaders = ReturnType<typeof createBodyReaders>;

function toMiddleware(deps: ReadBodyDeps, findQueueKey: FindQueueKey) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    // A path that two routes match runs this twice.
    if (ctx.get("body") !== undefined) return await next();
    const { raw, release } = await readAndEnter(deps, ctx.req.raw, findQueueKey(ctx));
    try {
      ctx.set("body", decodeUtf8(raw));
      ctx.set("releasePermit", release);
      await next();
    } finally {
      release();
    }
  });
}

/**
 * Stops bodies that would exhaust the memory, by Content-Length and by counting the bytes received;
 * bodies that arrive too slowly; and too many of them at once.
 */
async function readAndEnter(
  deps: ReadBodyDeps,
  req: Request,
  queueKey: RequestQueueKey,
): Promise<Entered> {
  const counter = deps.incoming.open(queueKey.owner);
  try {
    const raw = await readInTime(deps, req, counter);
    deps.check?.(raw);
    const releasePermit = await deps.queue.enter(queueKey, () => req.signal);
    const release = () => {
      counter.close();
      releasePermit();
    };
    return { raw, hold: counter.add, release };
  } catch (err) {
    counter.close();
    throw err;
  }
}

/** The same for work that waits for nothing and so needs no permit. */
async function readInLane(
  deps: ReadBodyDeps,
  req: Request,
  queueKey: RequestQueueKey,
): Promise<string | null> {
  const counter = deps.incoming.open(queueKey.owner);
  try {
    const raw = await readInTime(deps, req, counter);
    const waiting = deps.queue.waitForLane(queueKey, () => req.signal);
    if (waiting !== null) await waiting;
    return decodeUtf8(raw);
  } finally {
    counter.close();
  }
}

/** A form has a few fields. Thousands of them take a hundred times as long to parse as a long one. */
function checkFields(raw: Uint8Array): void {
  let fields = 1;
  for (let at = raw.indexOf(ampersand); at !== -1; at = raw.indexOf(ampersand, at + 1)) {
    fields += 1;
    if (fields > fieldsMax) {
      throw new HubError("bad_request", `A form has at most ${fieldsMax} fields. Send fewer.`);
    }
  }
}

function readInTime(
  deps: ReadBodyDeps,
  req: Request,
  counter: BodyCounter,
): Promise<Uint8Array> | Uint8Array {
  const { timers, portions, unread, bytesMax } = deps;
  const announced = Number(req.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) throw refuseSize(bytesMax);
  if (req.body === null) return new Uint8Array();
  if (announced >= 0 && announced <= uncountedBytesMax) return waitForSmallBody(deps, req.bytes());
  const pace = createBodyPace(timers, portions);
  const reader = createChunkReader(req.body.getReader());
  let hasEnded = false;
  const body = collect(reader, (bytes, own) => {
    if (own > bytesMax) throw refuseSize(bytesMax);
    counter.add(bytes);
    pace.record(bytes);
  }).finally(() => {
    hasEnded = true;
  });
  // A slow body is still waited for, so its reader must end.
  return waitForBody(body, pace, () => (hasEnded ? unread.keep(req, reader) : reader.cancel()));
}

/** Most small bodies arrive with their headers, in this turn of the event loop. Only the others get a pace, and its timer. */
function waitForSmallBody(
  { timers, portions, turns }: ReadBodyDeps,
  body: Promise<Uint8Array>,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const unwatch = turns.enter(() => resolve(waitForBody(body, createBodyPace(timers, portions))));
    body.then(
      (raw) => {
        unwatch();
        resolve(raw);
      },
      () => {
        unwatch();
        reject(refuseBroken());
      },
    );
  });
}

function refuseBroken(): HubError {
  return new HubError("invalid_request", "The connection broke before the body was complete.");
}

async function waitForBody(
  body: Promise<Uint8Array>,
  pace: ReturnType<typeof createBodyPace>,
  skipRest = () => {},
): Promise<Uint8Array> {
  try {
    return await Promise.race([body, pace.lost]);
  } catch (thrown) {
    skipRest();
    // The rest of the body is not read, so its failure is ignored.
    body.catch(() => {});
    if (thrown instanceof HubError) throw thrown;
    throw refuseBroken();
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
