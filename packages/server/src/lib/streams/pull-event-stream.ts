import type { Timers } from "../time/timers.ts";
import { toEvent } from "./event-stream.ts";

const keepaliveEveryMs = 15_000;
/** A stream that is not read for this long is broken off. */
const unreadMsMax = 60_000;
const encoder = new TextEncoder();

/**
 * A stream of server-sent events that are made when the reader wants the next one, so that a slow
 * reader misses none and nothing piles up. `onEnd` runs at the end, also if the client disconnects.
 */
export function pullEventStream(
  { timers }: { timers: Timers },
  frames: AsyncIterator<string>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let cancelKeepalive = () => {};
  let cancelUnread = () => {};
  let isOver = false;
  const end = () => {
    isOver = true;
    cancelKeepalive();
    cancelUnread();
    onEnd();
  };
  /** Its connection and what it follows are kept until the client reads. */
  const limitUnread = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    cancelUnread = timers.after(unreadMsMax, () => {
      end();
      controller.error(new Error("The client did not read its events"));
    });
  };
  return new ReadableStream({
    start(controller) {
      // An empty comment, because Bun sends the headers with the first bytes.
      controller.enqueue(encoder.encode(":\n\n"));
      const keepAlive = () => {
        cancelKeepalive = timers.after(keepaliveEveryMs, keepAlive);
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":keepalive\n\n"));
      };
      cancelKeepalive = timers.after(keepaliveEveryMs, keepAlive);
      limitUnread(controller);
    },
    async pull(controller) {
      cancelUnread();
      try {
        const next = await frames.next();
        if (isOver) return;
        if (next.done !== true) {
          limitUnread(controller);
          return controller.enqueue(toEvent(next.value));
        }
        end();
        controller.close();
      } catch (failure) {
        end();
        throw failure;
      }
    },
    cancel: end,
  });
}
