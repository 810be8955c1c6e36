import { HubError } from "../../errors.ts";
import { createChunkReader } from "../../lib/streams/read-chunks.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { createPortions } from "../queue/request-portions.ts";
import { createBodyPace, refuseSize } from "./body-pace.ts";
import type { UnreadBodies } from "./unread-bodies.ts";

/** Each may take the disk of its largest size. */
const filesMax = 4;

/** Reads the file in a request's body in portions. Throws `body_too_large` after `bytesMax`. */
export type ReadFile = (req: Request, bytesMax: number) => AsyncGenerator<Uint8Array>;

/**
 * Creates the reader of files. A file is never in memory as a whole. A file that arrives too slowly or
 * not completely is refused, and so are too many at once.
 */
export function createFileReader({
  timers,
  unread,
}: {
  timers: Timers;
  unread: UnreadBodies;
}): ReadFile {
  let reading = 0;
  const portions = createPortions();

  return async function* (req, bytesMax) {
    const announced = Number(req.headers.get("content-length") ?? Number.NaN);
    if (announced > bytesMax) throw refuseSize(bytesMax);
    if (reading >= filesMax) throw refuseCount();
    if (req.body === null) return;
    const reader = createChunkReader(req.body.getReader());
    reading += 1;
    const pace = createBodyPace(timers, portions);
    let slowness: unknown = null;
    // Ends a waiting read. A race for each portion would keep all portions in memory until the end.
    pace.lost.catch((thrown) => {
      slowness = thrown;
      reader.cancel();
    });
    let bytes = 0;
    try {
      for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
        bytes += piece.length;
        if (bytes > bytesMax) throw refuseSize(bytesMax);
        pace.record(piece.length);
        yield piece;
      }
      if (slowness !== null) throw slowness;
      if (req.signal.aborted || announced > bytes) throw refuseBreak();
    } catch (thrown) {
      if (thrown instanceof HubError) throw thrown;
      throw refuseBreak();
    } finally {
      reading -= 1;
      pace.end();
      // The rest is not read here.
      unread.keep(req, reader);
    }
  };
}

function refuseBreak(): HubError {
  return new HubError("invalid_request", "The connection broke before the file was complete.");
}

function refuseCount(): HubError {
  return new HubError(
    "rate_limited",
    `The hub receives at most ${filesMax} files at once. Try again when one of them is done.`,
  );
}
