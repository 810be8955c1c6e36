import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Chunk, ExecuteRequest } from "../wire/wire-messages.ts";
import type { ChunkSink } from "./call-channel.ts";

export type ExecuteCall = ServerWritableStream<ExecuteRequest, Partial<Chunk>>;

/** A call of ExecuteStream, which has its own stream. */
export function createOwnStream(call: ExecuteCall): ChunkSink {
  const abort = new AbortController();
  call.on("cancelled", () => abort.abort());
  call.on("error", () => abort.abort());
  let isWritable = true;
  return {
    signal: abort.signal,
    send(chunk) {
      isWritable = call.write(chunk);
    },
    end(chunk) {
      call.write(chunk);
      call.end();
    },
    async takeCredit() {
      if (!isWritable) await waitForDrain(call, abort.signal);
    },
  };
}

function waitForDrain(call: ExecuteCall, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return resolve();
    call.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
