import { createByteCollector } from "../../../lib/streams/collect-bytes.ts";

/** An event of a stream, as Latin-1. */
export type ReceivedEvent = { data: string | null; type: string; id: string | null };

/** Collects the lines of events, as the HTML standard reads them. */
export type EventParts = {
  /** Returns an event at its end, else null. */
  add(line: string): ReceivedEvent | null;
  /** The bytes of the present event. */
  bytes(): number;
  /** The latest time that the server gives for opening a stream again; null if it gave none since the last call. */
  takeRetryMs(): number | null;
};

export function createEventParts(): EventParts {
  let data: string | null = null;
  /** All lines of the data, if there are several. */
  let lines: ReturnType<typeof createByteCollector> | null = null;
  let type = "";
  let id: string | null = null;
  let bytes = 0;
  let retryMs: number | null = null;

  function addData(value: string): void {
    bytes += value.length + 1;
    if (data === null) {
      data = value;
      return;
    }
    if (lines === null) {
      lines = createByteCollector();
      lines.add(Buffer.from(data, "latin1"));
    }
    // A line end means nothing in JSON, and a message on one line is cheaper to pass on.
    lines.add(Buffer.from(` ${value}`, "latin1"));
  }

  function end(): ReceivedEvent | null {
    const joined = lines === null ? data : Buffer.from(lines.take()).toString("latin1");
    const event = { data: joined, type, id };
    const isEmpty = data === null;
    data = null;
    lines = null;
    type = "";
    id = null;
    bytes = 0;
    return isEmpty ? null : event;
  }

  return {
    add(line) {
      if (line === "") return end();
      const colon = line.indexOf(":");
      if (colon === 0) return null;
      const name = colon === -1 ? line : line.slice(0, colon);
      const start = line[colon + 1] === " " ? colon + 2 : colon + 1;
      const value = colon === -1 ? "" : line.slice(start);
      if (name === "data") addData(value);
      else if (name === "event") type = value;
      else if (name === "id" && !value.includes("\0")) id = value;
      else if (name === "retry" && /^\d{1,10}$/.test(value)) retryMs = Number(value);
      return null;
    },
    bytes: () => bytes,
    takeRetryMs() {
      const taken = retryMs;
      retryMs = null;
      return taken;
    },
  };
}
