import type { ClientDuplexStream, ServiceError } from "@grpc/grpc-js";
import { createFrameBatch, fitsMessage } from "../wire/frame-batch.ts";
import { windowBytes } from "../wire/services.ts";
import type {
  Chunk,
  ExecuteRequest,
  Frames,
  HostFrame,
  PluginFrame,
} from "../wire/wire-messages.ts";
import { RpcError } from "./rpc-error.ts";

/** The stream for all calls to a plugin. */
export type SharedStream = {
  /** Resolves after the call's last chunk. Rejects with an RpcError or the signal's reason. */
  execute(
    request: Partial<ExecuteRequest>,
    signal: AbortSignal,
    onChunk: (chunk: Chunk) => void,
  ): Promise<void>;
  /** Ends the stream for new calls. The plugin closes it after its running calls. */
  close(): void;
};

/** A decoded frame. Members that were not sent have their defaults. */
export type ReceivedFrame = Omit<PluginFrame, "chunk"> & { chunk: Chunk | null };

type Stream = ClientDuplexStream<Frames<HostFrame>, Frames<ReceivedFrame>>;

type Call = {
  onChunk: (chunk: Chunk) => void;
  /** Bytes of the result since the last credit. */
  bytesReceived: number;
  finish(failure: unknown): void;
};

/** After a message with so many frames, other work gets a turn. */
const manyFrames = 64;

/** A busy process reaches it within days. */
const numberMax = 2 ** 32 - 1;

/** Calls `onEnd` once when the stream ends. Then another stream must be opened. */
export function createSharedStream(
  stream: Stream,
  toRpcError: (error: ServiceError) => RpcError,
  onEnd: () => void,
  lastNumber: number = numberMax,
): SharedStream {
  const calls = new Map<number, Call>();
  let lastCall = 0;
  let isOpen = true;
  let hasReceived = false;
  const batch = createFrameBatch<HostFrame>((frames) => {
    if (isOpen) stream.write({ frames });
  });

  const end = (failure: RpcError) => {
    if (!isOpen) return;
    isOpen = false;
    onEnd();
    for (const call of [...calls.values()]) call.finish(failure);
  };

  /** Only a plugin that does not know the method has certainly executed nothing. */
  const toFailure = (error: RpcError) =>
    error.status === "UNIMPLEMENTED" && !hasReceived
      ? error
      : new RpcError("UNAVAILABLE", error.details, { cause: error });

  stream.on("data", ({ frames }: Frames<ReceivedFrame>) => {
    hasReceived = true;
    for (const { call: id, chunk } of frames) {
      const call = calls.get(id);
      // Frames of a cancelled call may still arrive.
      if (call !== undefined && chunk !== null) receive(id, call, chunk);
    }
    // Attack: events without end would hold the event loop for as long as they arrive.
    if (frames.length < manyFrames) return;
    stream.pause();
    setImmediate(() => stream.resume());
  });
  stream.on("end", () => end(new RpcError("UNAVAILABLE", "The plugin has closed its stream")));
  stream.on("error", (error: ServiceError) => end(toFailure(toRpcError(error))));

  function takeNumber(): number {
    do {
      lastCall = lastCall === lastNumber ? 1 : lastCall + 1;
    } while (calls.has(lastCall));
    return lastCall;
  }

  function receive(id: number, call: Call, chunk: Chunk): void {
    try {
      call.onChunk(chunk);
    } catch (thrown) {
      batch.add({ call: id, cancel: true });
      call.finish(thrown);
      return;
    }
    if (chunk.eof) call.finish(null);
    else grantCredit(id, call, chunk.data.length);
  }

  function grantCredit(id: number, call: Call, bytes: number): void {
    call.bytesReceived += bytes;
    if (call.bytesReceived < windowBytes / 2) return;
    batch.add({ call: id, credit: call.bytesReceived });
    call.bytesReceived = 0;
  }

  return {
    execute: (request, signal, onChunk) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (!isOpen) return reject(new RpcError("UNAVAILABLE", "The stream is closed"));
        const id = takeNumber();
        const frame: HostFrame = { call: id, start: request };
        if (!fitsMessage(frame)) {
          return reject(new RpcError("RESOURCE_EXHAUSTED", "The request is too large"));
        }
        const cancel = () => {
          batch.add({ call: id, cancel: true });
          finish(signal.reason);
        };
        const finish = (failure: unknown) => {
          calls.delete(id);
          signal.removeEventListener("abort", cancel);
          if (failure === null) resolve();
          else reject(failure);
        };
        calls.set(id, { onChunk, bytesReceived: 0, finish });
        signal.addEventListener("abort", cancel, { once: true });
        batch.add(frame);
      }),
    close() {
      batch.flush();
      if (isOpen) stream.end();
    },
  };
}
