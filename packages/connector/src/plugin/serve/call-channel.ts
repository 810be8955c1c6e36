import type { ServerWritableStream } from "@grpc/grpc-js";
import { toJsonText } from "../../json.ts";
import type { ConnectorLog } from "../../operation-context.ts";
import type { AppVersion } from "../wire/handshake.ts";
import type { Chunk, ExecuteRequest } from "../wire/messages.ts";
import { dataBytesMax } from "../wire/services.ts";
import { type LogLevel, writeStderrLine } from "./stderr-log.ts";

export type ExecuteCall = ServerWritableStream<ExecuteRequest, Partial<Chunk>>;

/** What one call tells its host while it runs. */
export type CallChannel = {
  /** Aborts when the host cancels, or is gone. */
  signal: AbortSignal;
  log: ConnectorLog;
  mask(value: string): void;
  maskIgnoreCase(value: string): void;
  noteHttpStatus(status: number): void;
  progress(done: number, total?: number, message?: string): void;
  /** The last word: a result or a failure. */
  sendResult(json: Buffer): Promise<void>;
  sendError(error: NonNullable<Chunk["error"]>): void;
};

export function createCallChannel(version: AppVersion, call: ExecuteCall): CallChannel {
  const abort = new AbortController();
  let isOpen = true;
  const close = () => {
    isOpen = false;
    abort.abort();
  };
  call.on("cancelled", close);
  call.on("error", close);

  const send = (chunk: Partial<Chunk>): boolean => !isOpen || call.write(chunk);
  const sendNews = (chunk: Partial<Chunk>) => {
    if (version === 2) send(chunk);
  };
  const end = (chunk: Partial<Chunk>) => {
    if (!isOpen) return;
    call.write(chunk);
    isOpen = false;
    call.end();
  };

  const write = (level: LogLevel) => (message: string, details?: Record<string, unknown>) => {
    // The host masks what comes with its call; afterwards, and in version 1, there is only stderr.
    if (version === 1 || !isOpen) return writeStderrLine(level, message, details);
    send({ logJson: Buffer.from(toLogText(level, message, details)) });
  };

  return {
    signal: abort.signal,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    mask: (value) => sendNews({ mask: [checkText(value)] }),
    maskIgnoreCase: (value) => sendNews({ maskIgnoreCase: [checkText(value)] }),
    noteHttpStatus: (httpStatus) => sendNews({ httpStatus }),
    progress: (done, total, message) =>
      send({
        progress: toInt32(done),
        ...(version === 2 && { exactProgress: done }),
        ...(total !== undefined && { total: toInt32(total) }),
        ...(total !== undefined && version === 2 && { exactTotal: total }),
        ...(message !== undefined && { message: String(message) }),
      }),
    async sendResult(json) {
      // One message in place of two; hosts of version 1 may not look for data beside the end.
      if (version === 2 && json.length <= dataBytesMax) return end({ data: json, eof: true });
      for (let start = 0; start < json.length && isOpen; start += dataBytesMax) {
        const hasRoom = send({ data: json.subarray(start, start + dataBytesMax) });
        if (!hasRoom) await waitForRoom(call, abort.signal);
      }
      end({ eof: true });
    },
    sendError: (error) => end({ error, eof: true }),
  };
}

function toLogText(level: LogLevel, message: string, details?: Record<string, unknown>): string {
  try {
    return toJsonText({ level, message, details });
  } catch {
    return toJsonText({ level, message });
  }
}

function checkText(value: string): string {
  if (typeof value !== "string") throw new TypeError("Only a text can be masked");
  return value;
}

/** Version 1 has whole numbers only. */
function toInt32(value: number): number {
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.round(value) || 0));
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
