import type { Timers } from "../lib/timers.ts";

const keepaliveEveryMs = 15_000;
const encoder = new TextEncoder();

/** A stream of server-sent events that carries the reply to one request. */
export type EventStream = {
  body: ReadableStream<Uint8Array>;
  /** Sends a frame that the next such frame makes obsolete. */
  sendLatest(frame: string): void;
  /** Sends the last frame and ends the stream. */
  end(frame: string): void;
};

/**
 * Opens a stream. What a slow reader has not taken is not piled up: of frames that replace each
 * other the latest waits, and keepalives are left out. `onLeave` runs if the client goes before
 * the end.
 */
export function openEventStream({ timers }: { timers: Timers }, onLeave: () => void): EventStream {
  let waiting: string | null = null;
  let last: string | null = null;
  let isOpen = true;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let callOffKeepalive = timers.after(keepaliveEveryMs, keepAlive);

  const body = new ReadableStream<Uint8Array>({
    start: (opened) => {
      controller = opened;
    },
    pull: flush,
    cancel() {
      close();
      onLeave();
    },
  });

  function keepAlive(): void {
    callOffKeepalive = timers.after(keepaliveEveryMs, keepAlive);
    if (isWanting()) controller?.enqueue(encoder.encode(":keepalive\n\n"));
  }

  // Enqueuing asks for more at once, so each frame leaves its place before it goes.
  function flush(): void {
    if (waiting !== null && isWanting()) {
      const frame = waiting;
      waiting = null;
      controller?.enqueue(toEvent(frame));
    }
    // The last frame may wait in the stream itself: nothing comes after it.
    if (waiting !== null || last === null || !isOpen) return;
    close();
    controller?.enqueue(toEvent(last));
    controller?.close();
  }

  function isWanting(): boolean {
    return isOpen && (controller?.desiredSize ?? 0) > 0;
  }

  function close(): void {
    isOpen = false;
    callOffKeepalive();
  }

  return {
    body,
    sendLatest(frame) {
      waiting = frame;
      flush();
    },
    end(frame) {
      last = frame;
      flush();
    },
  };
}

function toEvent(frame: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${frame}\n\n`);
}
