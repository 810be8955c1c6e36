import type { Timers } from "../time/timers.ts";

const keepaliveEveryMs = 15_000;
/** Events that may wait for a reader; further progress replaces the latest. */
const eventsWaitingMax = 16;
const opening = ":\n\n";
const encoder = new TextEncoder();

/** A stream of server-sent events with the reply to one request. */
export type EventStream = {
  body: ReadableStream<Uint8Array>;
  /** Sends a frame that later ones may replace while it waits. */
  sendProgress(frame: string): void;
  /** Sends a frame that no later one replaces. Callers send few, one after the other. */
  send(frame: string): void;
  /** Resolves when no frame waits for the reader, or when the stream has ended. */
  waitForReader(): Promise<void>;
  /** Sends the last frame and ends the stream. */
  end(frame: string): void;
};

/**
 * Opens a stream. The queue for a slow reader is bounded: later progress replaces earlier progress,
 * and keepalives are skipped. `onDisconnect` runs if the client disconnects before the end.
 */
export function openEventStream(
  { timers }: { timers: Timers },
  onDisconnect: () => void,
): EventStream {
  let waiting: string | null = null;
  let last: string | null = null;
  let isOpen = true;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const readers: Array<() => void> = [];
  let cancelKeepalive = timers.after(keepaliveEveryMs, keepAlive);

  const source = {
    start(opened: ReadableStreamDefaultController<Uint8Array>) {
      controller = opened;
      // An empty comment, because Bun sends the headers with the first bytes.
      opened.enqueue(encoder.encode(opening));
    },
    pull() {
      flush();
      if (isRead()) releaseReaders();
    },
    cancel() {
      close();
      onDisconnect();
    },
  };
  const body = new ReadableStream(source, { highWaterMark: eventsWaitingMax });

  function keepAlive(): void {
    cancelKeepalive = timers.after(keepaliveEveryMs, keepAlive);
    if (isWanting()) controller?.enqueue(encoder.encode(":keepalive\n\n"));
  }

  // enqueue() calls pull() synchronously, so each frame is taken out before it is enqueued.
  function flush(): void {
    if (waiting !== null && isWanting()) {
      const frame = waiting;
      waiting = null;
      controller?.enqueue(toEvent(frame));
    }
    // The last frame may wait in the stream, because nothing follows it.
    if (waiting !== null || last === null || !isOpen) return;
    close();
    controller?.enqueue(toEvent(last));
    controller?.close();
  }

  function isRead(): boolean {
    return !isOpen || (controller?.desiredSize ?? 0) >= eventsWaitingMax;
  }

  function releaseReaders(): void {
    for (const release of readers.splice(0)) release();
  }

  function isWanting(): boolean {
    return isOpen && (controller?.desiredSize ?? 0) > 0;
  }

  function close(): void {
    isOpen = false;
    cancelKeepalive();
    releaseReaders();
  }

  return {
    body,
    sendProgress(frame) {
      waiting = frame;
      flush();
    },
    send(frame) {
      if (isOpen) controller?.enqueue(toEvent(frame));
    },
    async waitForReader() {
      if (isRead()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      readers.push(resolve);
      await promise;
    },
    end(frame) {
      last = frame;
      flush();
    },
  };
}

/** A frame as one server-sent event. */
export function toEvent(frame: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${frame}\n\n`);
}

/** Headers of an answer that is an event stream. */
export const eventStreamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  // Otherwise nginx would buffer events.
  "X-Accel-Buffering": "no",
};
