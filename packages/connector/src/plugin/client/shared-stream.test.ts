import { beforeEach, describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { windowBytes } from "../wire/services.ts";
import type { Chunk, Frames, HostFrame } from "../wire/wire-messages.ts";
import { RpcError } from "./rpc-error.ts";
import { createSharedStream, type SharedStream } from "./shared-stream.ts";

/** The host's end of the stream. The test sends the plugin's messages. */
class FakeStream extends EventEmitter {
  readonly messages: HostFrame[][] = [];
  hasEnded = false;
  write({ frames }: Frames<HostFrame>): boolean {
    this.messages.push(frames);
    return true;
  }
  end(): void {
    this.hasEnded = true;
  }
  say(call: number, chunk: Partial<Chunk> | null): void {
    const empty = { data: new Uint8Array(), eof: false, error: null };
    this.emit("data", { frames: [{ call, chunk: chunk && { ...empty, ...chunk } }] });
  }
}

let stream: FakeStream;
let shared: SharedStream;
let ends: number;
beforeEach(() => open());

function open(lastNumber?: number): void {
  ends = 0;
  stream = new FakeStream();
  shared = createSharedStream(
    // The tests use only this part of a stream.
    stream as unknown as Parameters<typeof createSharedStream>[0],
    (error) => new RpcError(String(error.code), error.details, { cause: error }),
    () => {
      ends += 1;
    },
    lastNumber,
  );
}

const never = new AbortController().signal;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const data = (bytes: number) => new Uint8Array(bytes);
const ignore = () => {};
const failureOf = (promise: Promise<void>) =>
  promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe("the stream for all calls", () => {
  test("Frames of one turn are sent in one message", async () => {
    const calls = ["a", "b", "c"].map((operation) => shared.execute({ operation }, never, ignore));
    expect(stream.messages).toEqual([]);
    await nextTurn();
    expect(stream.messages).toEqual([
      [
        { call: 1, start: { operation: "a" } },
        { call: 2, start: { operation: "b" } },
        { call: 3, start: { operation: "c" } },
      ],
    ]);
    for (const call of [1, 2, 3]) stream.say(call, { eof: true });
    await Promise.all(calls);
  });

  test("Frames are sent before many of them accumulate", async () => {
    const calls = [1, 2].map(() => shared.execute({ argsJson: data(200_000) }, never, ignore));
    expect(stream.messages.map((frames) => frames.length)).toEqual([1, 1]);
    for (const call of [1, 2]) stream.say(call, { eof: true });
    await Promise.all(calls);
  });

  test("Each call receives only its own chunks, and chunks of unknown calls are ignored", async () => {
    const heard: unknown[] = [];
    const first = shared.execute({}, never, ({ message }) => heard.push(["first", message]));
    const second = shared.execute({}, never, ({ message }) => heard.push(["second", message]));
    stream.say(2, { message: "b" });
    stream.say(7, { message: "unknown call" });
    stream.say(1, null);
    stream.say(1, { message: "a", eof: true });
    stream.say(1, { message: "late" });
    stream.say(2, { eof: true });
    await Promise.all([first, second]);
    expect(heard).toEqual([
      ["second", "b"],
      ["first", "a"],
      ["second", undefined],
    ]);
  });

  test("The host grants credit as it receives a result", async () => {
    const call = shared.execute({}, never, ignore);
    await nextTurn();
    stream.say(1, { data: data(windowBytes / 4) });
    await nextTurn();
    expect(stream.messages).toHaveLength(1);
    stream.say(1, { data: data(windowBytes / 4) });
    await nextTurn();
    expect(stream.messages[1]).toEqual([{ call: 1, credit: windowBytes / 2 }]);
    stream.say(1, { eof: true });
    await call;
  });

  test("Cancelling one call does not affect others", async () => {
    const abort = new AbortController();
    const left = failureOf(shared.execute({}, abort.signal, ignore));
    const other = shared.execute({}, never, ignore);
    await nextTurn();
    abort.abort(new Error("gone"));
    expect(await left).toEqual(new Error("gone"));
    await nextTurn();
    expect(stream.messages[1]).toEqual([{ call: 1, cancel: true }]);
    stream.say(1, { eof: true });
    stream.say(2, { eof: true });
    await other;
  });

  test("A call that was cancelled before its start is not sent", async () => {
    const failure = failureOf(shared.execute({}, AbortSignal.abort(new Error("gone")), ignore));
    expect(await failure).toEqual(new Error("gone"));
    await nextTurn();
    expect(stream.messages).toEqual([]);
  });

  test("A call with an invalid answer is cancelled", async () => {
    const broken = failureOf(
      shared.execute({}, never, () => {
        throw new Error("no JSON");
      }),
    );
    stream.say(1, { data: data(1) });
    expect(await broken).toEqual(new Error("no JSON"));
    await nextTurn();
    expect(stream.messages.flat().at(-1)).toEqual({ call: 1, cancel: true });
  });

  test("A request larger than a message fails alone", async () => {
    const tooLarge = shared.execute({ argsJson: data(65 * 1024 * 1024) }, never, ignore);
    expect(await failureOf(tooLarge)).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    const other = shared.execute({}, never, ignore);
    await nextTurn();
    expect(stream.messages.flat()).toHaveLength(1);
    stream.say(2, { eof: true });
    await other;
  });

  test("Call numbers are reused after overflow, except those of calls in progress", async () => {
    open(3);
    const first = shared.execute({}, never, ignore);
    for (const number of [2, 3, 2]) {
      const call = shared.execute({}, never, ignore);
      stream.say(number, { eof: true });
      await call;
    }
    stream.say(1, { eof: true });
    await first;
  });

  test("The stream closes after all pending frames are sent", () => {
    failureOf(shared.execute({}, never, ignore));
    shared.close();
    expect(stream.messages.flat()).toHaveLength(1);
    expect(stream.hasEnded).toBe(true);
  });
});

describe("the end of the shared stream", () => {
  const broken = (code: string) => ({ code, details: "broken" });

  test("The end of the stream fails all its calls, is reported once, and allows no new calls", async () => {
    const calls = [1, 2].map(() => failureOf(shared.execute({}, never, ignore)));
    stream.emit("error", broken("RESOURCE_EXHAUSTED"));
    stream.emit("end");
    for (const failure of await Promise.all(calls)) {
      expect(failure).toMatchObject({ status: "UNAVAILABLE", details: "broken" });
    }
    expect(ends).toBe(1);
    expect(await failureOf(shared.execute({}, never, ignore))).toMatchObject({
      status: "UNAVAILABLE",
    });
  });

  test("The end of the stream reports a plugin without this method", async () => {
    const call = failureOf(shared.execute({}, never, ignore));
    stream.emit("error", broken("UNIMPLEMENTED"));
    expect(await call).toMatchObject({ status: "UNIMPLEMENTED" });
  });

  test("A call that received a chunk is not reported as never run when the stream ends", async () => {
    const call = failureOf(shared.execute({}, never, ignore));
    stream.say(1, { message: "under way" });
    stream.emit("error", broken("UNIMPLEMENTED"));
    expect(await call).toMatchObject({ status: "UNAVAILABLE" });
  });
});
