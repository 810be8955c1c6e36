import { toJsonText } from "../../json.ts";
import type { ConnectorLog, MaskOptions } from "../../operation-context.ts";
import type { AppVersion } from "../wire/handshake.ts";
import { dataBytesMax } from "../wire/services.ts";
import type { Chunk } from "../wire/wire-messages.ts";
import { type LogLevel, writeStderrLine } from "./stderr-log.ts";

/** The destination of the chunks of one call. */
export type ChunkSink = {
  /** Aborts when the host cancels or disconnects. */
  signal: AbortSignal;
  send(chunk: Partial<Chunk>): void;
  /** Sends the last chunk. */
  end(chunk: Partial<Chunk>): void;
  /** Resolves when the host can receive this many more bytes, or when the signal has aborted. */
  takeCredit(bytes: number): Promise<void>;
};

/** The channel from a running call to its host. */
export type CallChannel = {
  /** Aborts when the host cancels or disconnects. */
  signal: AbortSignal;
  log: ConnectorLog;
  mask(value: string, options?: MaskOptions): void;
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  recordHttpStatus(status: number): void;
  progress(done: number, total?: number, message?: string): void;
  /** Sends the final message: a result or a failure. */
  sendResult(json: Buffer): Promise<void>;
  sendError(error: NonNullable<Chunk["error"]>): void;
};

export function createCallChannel(version: AppVersion, sink: ChunkSink): CallChannel {
  let isEnded = false;
  const isOpen = () => !isEnded && !sink.signal.aborted;
  const send = (chunk: Partial<Chunk>) => {
    if (isOpen()) sink.send(chunk);
  };
  const sendNews = (chunk: Partial<Chunk>) => {
    if (version === 2) send(chunk);
  };
  const end = (chunk: Partial<Chunk>) => {
    if (!isOpen()) return;
    isEnded = true;
    sink.end(chunk);
  };

  const write = (level: LogLevel) => (message: string, details?: Record<string, unknown>) => {
    // The host masks the messages of a running call. After the call, and in version 1, the log is
    // stderr.
    if (version === 1 || !isOpen()) return writeStderrLine(level, message, details);
    send({ logJson: Buffer.from(toLogText(level, message, details)) });
  };

  return {
    signal: sink.signal,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    mask: (value, options) => sendNews({ mask: [checkText(value)], ...toOwner(options) }),
    maskIgnoreCase: (value, options) =>
      sendNews({ maskIgnoreCase: [checkText(value)], ...toOwner(options) }),
    recordHttpStatus: (httpStatus) => sendNews({ httpStatus }),
    progress: (done, total, message) =>
      send({
        progress: toInt32(done),
        ...(version === 2 && { exactProgress: done }),
        ...(total !== undefined && { total: toInt32(total) }),
        ...(total !== undefined && version === 2 && { exactTotal: total }),
        ...(message !== undefined && { message: String(message) }),
      }),
    async sendResult(json) {
      // One message instead of two. Hosts of version 1 may ignore data in the last message.
      if (version === 2 && json.length <= dataBytesMax) return end({ data: json, eof: true });
      for (let start = 0; start < json.length && isOpen(); start += dataBytesMax) {
        const data = json.subarray(start, start + dataBytesMax);
        await sink.takeCredit(data.length);
        send({ data });
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

/** A separate flag, so that hosts that do not know it still mask the values. */
function toOwner({ ofRow = false }: MaskOptions = {}): Partial<Chunk> {
  return ofRow === true ? { maskOfRow: true } : {};
}

function checkText(value: string): string {
  if (typeof value !== "string") throw new TypeError("Only a text can be masked");
  return value;
}

/** Version 1 has integers only. */
function toInt32(value: number): number {
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.round(value) || 0));
}
