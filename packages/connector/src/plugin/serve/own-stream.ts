import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Chunk, ExecuteRequest } from "../wire/messages.ts";
import type { ChunkSink } from "./call-channel.ts";

export type ExecuteCall = ServerWritableStream<ExecuteRequest, Partial<Chunk>>;

/** A call of ExecuteStream, which has a stream to itself. */
export function createOwnStream(call: ExecuteCall): ChunkSink {
  const abort = new AbortController();
  call.on("cancelled", () => abort.abort());
  call.on("error", () => abort.abort());
  let hasRoom = true;
  return {
    signal: abort.signal,
    send(chunk) {
      hasRoom = call.write(chunk);
    },
    end(chunk) {
      call.write(chunk);
      call.end();
    },
    async takeRoom() {
      if (!hasRoom) await waitForRoom(call, abort.signal);
    },
  };
}

function waitForRoom(call: ExecuteCall, signal: AbortSignal): Promise<void> {
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
