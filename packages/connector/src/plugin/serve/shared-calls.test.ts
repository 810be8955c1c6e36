import { beforeEach, describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { dataBytesMax, windowBytes } from "../wire/services.ts";
import type { ExecuteRequest, Frames, PluginFrame } from "../wire/wire-messages.ts";
import { type CallChannel, createCallChannel } from "./call-channel.ts";
import { createSharedCalls, type SharedCall, type SharedCalls } from "./shared-calls.ts";

/** The plugin's end of the stream. The test sends the host's messages. */
class FakeStream extends EventEmitter {
  readonly messages: PluginFrame[][] = [];
  hasEnded = false;
  write({ frames }: Frames<PluginFrame>): boolean {
    this.messages.push(frames);
    return true;
  }
  end(): void {
    this.hasEnded = true;
  }
  say(...frames: object[]): void {
    const nothing = { start: null, cancel: false, credit: 0 };
    this.emit("data", { frames: frames.map((frame) => ({ ...nothing, ...frame })) });
  }
  start(call: number): void {
    this.say({ call, start: { operation: "any" } });
  }
  /** The bytes of a call's result so far. */
  count(id: number): number {
    return this.chunks(id).reduce((sum, chunk) => sum + (chunk.data?.length ?? 0), 0);
  }
  chunks(id: number) {
    return this.messages.flat().flatMap(({ call, chunk }) => (call === id ? [chunk] : []));
  }
}

let stream: FakeStream;
let shared: SharedCalls;
/** The running calls of the plugin, in the order of their arrival. */
let calls: CallChannel[];
beforeEach(() => {
  stream = new FakeStream();
  shared = createSharedCalls();
  calls = [];
  // The tests use only this part of a stream.
  shared.accept(stream as unknown as SharedCall, (_request: ExecuteRequest, sink) =>
    calls.push(createCallChannel(2, sink)),
  );
});

/** Frames are sent at the end of a turn, so an answer to them needs one more turn. */
const nextTurn = async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const large = Buffer.alloc(windowBytes * 2);

function find(at: number): CallChannel {
  const call = calls[at];
  if (call === undefined) throw new Error("There is no such call");
  return call;
}

describe("calls over one stream", () => {
  test("Calls that end in one turn are answered in one message", async () => {
    stream.say({ call: 1, start: {} }, { call: 2, start: {} });
    find(1).sendResult(Buffer.from("2"));
    find(0).progress(1, 2);
    find(0).sendResult(Buffer.from("1"));
    await nextTurn();
    expect(stream.messages).toEqual([
      [
        { call: 2, chunk: { data: Buffer.from("2"), eof: true } },
        { call: 1, chunk: { progress: 1, exactProgress: 1, total: 2, exactTotal: 2 } },
        { call: 1, chunk: { data: Buffer.from("1"), eof: true } },
      ],
    ]);
  });

  test("A large result waits for credit and does not block other calls", async () => {
    stream.start(1);
    const sending = find(0).sendResult(large);
    await nextTurn();
    expect(stream.count(1)).toBe(windowBytes);
    stream.start(2);
    find(1).sendResult(Buffer.from("small"));
    await nextTurn();
    expect(stream.chunks(2)).toEqual([{ data: Buffer.from("small"), eof: true }]);
    stream.say({ call: 1, credit: dataBytesMax });
    await nextTurn();
    expect(stream.count(1)).toBe(windowBytes + dataBytesMax);
    stream.say({ call: 1, credit: windowBytes });
    await sending;
    await nextTurn();
    expect(stream.count(1)).toBe(large.length);
    expect(stream.chunks(1).at(-1)).toEqual({ eof: true });
  });

  test("A cancelled call sends nothing more, and other calls continue", async () => {
    stream.say({ call: 1, start: {} }, { call: 2, start: {} });
    const sending = find(0).sendResult(large);
    await nextTurn();
    stream.say({ call: 1, cancel: true });
    await sending;
    find(0).progress(1);
    await nextTurn();
    expect(find(0).signal.aborted).toBe(true);
    expect(stream.count(1)).toBe(windowBytes);
    expect(find(1).signal.aborted).toBe(false);
    find(1).sendResult(Buffer.from("other"));
    await nextTurn();
    expect(stream.chunks(2)).toHaveLength(1);
  });

  test("All calls are cancelled when the host is gone", () => {
    stream.say({ call: 1, start: {} }, { call: 2, start: {} });
    stream.emit("cancelled");
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test("A call with a frame larger than a message fails alone", async () => {
    stream.say({ call: 1, start: {} }, { call: 2, start: {} });
    find(0).log.info("x".repeat(70 * 1024 * 1024));
    find(1).sendResult(Buffer.from("other"));
    await nextTurn();
    expect(stream.chunks(1)).toMatchObject([{ eof: true, error: { code: "too_large" } }]);
    expect(find(0).signal.aborted).toBe(true);
    expect(stream.chunks(2)).toHaveLength(1);
  });

  test("Calls finish before the stream ends, whichever side ends it", async () => {
    for (const askForEnd of [() => shared.finish(), () => stream.emit("end")]) {
      stream = new FakeStream();
      shared = createSharedCalls();
      calls = [];
      shared.accept(stream as unknown as SharedCall, (_request, sink) =>
        calls.push(createCallChannel(2, sink)),
      );
      stream.start(1);
      askForEnd();
      expect(stream.hasEnded).toBe(false);
      find(0).sendResult(Buffer.from("1"));
      expect(stream.chunks(1)).toHaveLength(1);
      expect(stream.hasEnded).toBe(true);
    }
  });

  test("Cancelled calls do not keep the stream open", () => {
    stream.start(1);
    shared.finish();
    stream.say({ call: 1, cancel: true });
    expect(stream.hasEnded).toBe(true);
  });
});
