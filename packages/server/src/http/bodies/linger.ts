import { toClientNetworks } from "../../lib/network/trusted-proxies.ts";
import type { ChunkReader } from "../../lib/streams/read-chunks.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { AppEnv } from "../app-env.ts";
import type { ClientFinder } from "../clients/find-client.ts";
import type { UnreadBodies } from "./unread-bodies.ts";

type LingerDeps = { timers: Timers; unread: UnreadBodies; findClient: ClientFinder };

type Fetch = (req: Request, env: AppEnv["Bindings"]) => Response | Promise<Response>;

/** A body of this size arrives with its headers or soon after them, so its answer waits for it. */
const smallBytesMax = 64 * 1024;
/** Three times the largest body of any door. */
const bytesMax = 32 * 1024 * 1024;
/** A sender that pauses for so long has read its answer, or never will. */
const pauseMsMax = 2_000;
const msMax = 30_000;
/** Connections that are read on at once, and of them those of one area of networks. */
const connectionsMax = { total: 256, area: 32 };

/**
 * Reads on after a refusal. A sender that still sends when its connection is closed gets an error of the
 * connection, and never sees the answer. What is read is dropped. Beyond the limits, the connection is
 * closed at once.
 */
export function lingerAfter({ timers, unread, findClient }: LingerDeps, fetch: Fetch): Fetch {
  const permits = createPermits();

  return async (req, env) => {
    const response = await fetch(req, env);
    const { server } = env;
    // Without a server, there is no connection to read on.
    if (server === undefined || req.method === "GET" || req.method === "HEAD") return response;
    const rest = unread.take(req);
    if (rest === null) return response;
    const release = response.status < 400 ? null : permits.enter(findClient(req, server).ip ?? "");
    if (release === null) {
      rest.cancel();
      return response;
    }
    const dropped = dropRest(timers, rest).finally(release);
    const announced = Number(req.headers.get("content-length") ?? Number.NaN);
    if (announced > smallBytesMax || Number.isNaN(announced)) {
      return await answerFirst(response, { dropped, cancel: rest.cancel });
    }
    await dropped;
    return response;
  };
}

/** Sends the answer at once, and ends it when the rest was dropped. */
async function answerFirst(
  response: Response,
  { dropped, cancel }: { dropped: Promise<void>; cancel(): void },
): Promise<Response> {
  const { status, headers } = response;
  const answer = await response.bytes();
  // Otherwise the server would read what is left of the body without a limit.
  headers.set("connection", "close");
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (answer.length > 0) controller.enqueue(answer);
      },
      async pull(controller) {
        await dropped;
        controller.close();
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}

/** Resolves when the body has ended, when a limit is reached, or when the client has left. */
async function dropRest(timers: Timers, rest: ChunkReader): Promise<void> {
  const { promise: late, resolve: endLate } = Promise.withResolvers<void>();
  const endsAt = timers.now() + msMax;
  let dropped = 0;
  let droppedBefore = 0;
  const check = () => {
    if (dropped === droppedBefore || timers.now() >= endsAt) return endLate();
    droppedBefore = dropped;
    cancelCheck = timers.after(pauseMsMax, check);
  };
  let cancelCheck = timers.after(pauseMsMax, check);
  const read = async () => {
    for (let piece = await rest.next(); piece !== null; piece = await rest.next()) {
      dropped += piece.length;
      if (dropped > bytesMax) return;
    }
  };
  // A client that leaves fails the read.
  await Promise.race([read().catch(() => {}), late]);
  cancelCheck();
  rest.cancel();
}

/** Counts the connections. One sender must not keep the answers of others from being seen. */
function createPermits() {
  const ofAreas = new Map<string, number>();
  let total = 0;
  return {
    /** Returns how the permit is released; null if there is none. */
    enter(ip: string): (() => void) | null {
      const { area } = toClientNetworks(ip);
      const ofArea = ofAreas.get(area) ?? 0;
      if (total >= connectionsMax.total || ofArea >= connectionsMax.area) return null;
      total += 1;
      ofAreas.set(area, ofArea + 1);
      return () => {
        total -= 1;
        const left = (ofAreas.get(area) ?? 1) - 1;
        if (left === 0) ofAreas.delete(area);
        else ofAreas.set(area, left);
      };
    },
  };
}
