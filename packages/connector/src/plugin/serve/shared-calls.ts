import type { ServerDuplexStream } from "@grpc/grpc-js";
import { wireErrorCodes } from "../wire/error-codes.ts";
import { createFrameBatch, type FrameBatch, fitsMessage } from "../wire/frame-batch.ts";
import { windowBytes } from "../wire/services.ts";
import type { Chunk, ExecuteRequest, Frames, PluginFrame } from "../wire/wire-messages.ts";
import type { ChunkSink } from "./call-channel.ts";

/** A decoded frame. Members that were not sent have their defaults. */
type ReceivedFrame = {
  call: number;
  start: ExecuteRequest | null;
  cancel: boolean;
  credit: number;
};

export type SharedCall = ServerDuplexStream<Frames<ReceivedFrame>, Frames<PluginFrame>>;

/** The open streams of `Calls`. Each carries many calls of one host. */
export type SharedCalls = {
  /** `answer` runs one call to its end and never rejects. */
  accept(stream: SharedCall, answer: (request: ExecuteRequest, sink: ChunkSink) => void): void;
  /** Ends each stream as soon as it has no call in progress. */
  finish(): void;
};

type OpenCall = {
  abort: AbortController;
  credit: number;
  /** Wakes waiting writers when the host grants credit or the stream ends. */
  wake: () => void;
};

export function createSharedCalls(): SharedCalls {
  const finishers = new Set<() => void>();
  let isFinishing = false;
  return {
    accept(stream, answer) {
      const calls = new Map<number, OpenCall>();
      let isLast = isFinishing;
      const batch = createFrameBatch<PluginFrame>((frames) => stream.write({ frames }));

      const endWhenIdle = () => {
        if (!isLast || calls.size > 0) return;
        batch.flush();
        stream.end();
        finishers.delete(finish);
      };
      const finish = () => {
        isLast = true;
        endWhenIdle();
      };
      const cancel = (id: number) => {
        const call = calls.get(id);
        calls.delete(id);
        call?.abort.abort();
        call?.wake();
        endWhenIdle();
      };
      const cancelAll = () => {
        finishers.delete(finish);
        for (const id of [...calls.keys()]) cancel(id);
      };
      finishers.add(finish);

      stream.on("data", ({ frames }: Frames<ReceivedFrame>) => {
        for (const { call: id, start, cancel: isCancelled, credit } of frames) {
          if (start !== null && !calls.has(id)) {
            const call = { abort: new AbortController(), credit: windowBytes, wake: () => {} };
            calls.set(id, call);
            const close = () => {
              calls.delete(id);
              endWhenIdle();
            };
            answer(start, createSink(id, call, batch, close));
          }
          if (credit > 0) addCredit(calls.get(id), credit);
          if (isCancelled) cancel(id);
        }
      });
      stream.on("end", finish);
      stream.on("cancelled", cancelAll);
      stream.on("error", cancelAll);
    },
    finish() {
      isFinishing = true;
      for (const finish of [...finishers]) finish();
    },
  };
}

function addCredit(call: OpenCall | undefined, bytes: number): void {
  if (call === undefined) return;
  call.credit += bytes;
  call.wake();
}

function createSink(
  id: number,
  call: OpenCall,
  batch: FrameBatch<PluginFrame>,
  close: () => void,
): ChunkSink {
  const { signal } = call.abort;
  const end = (chunk: Partial<Chunk>) => {
    const frame = { call: id, chunk };
    batch.add(fitsMessage(frame) ? frame : { call: id, chunk: tooLarge });
    close();
  };
  return {
    signal,
    end,
    send(chunk) {
      const frame = { call: id, chunk };
      if (fitsMessage(frame)) return batch.add(frame);
      end(tooLarge);
      call.abort.abort();
    },
    async takeCredit(bytes) {
      while (call.credit < bytes && !signal.aborted) {
        await new Promise<void>((resolve) => {
          call.wake = resolve;
        });
      }
      call.credit -= bytes;
    },
  };
}

const tooLarge: Partial<Chunk> = {
  eof: true,
  error: {
    code: wireErrorCodes.tooLarge,
    message: "A part of the plugin's answer is larger than the limit for messages.",
  },
};
