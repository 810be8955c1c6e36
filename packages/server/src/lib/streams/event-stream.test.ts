import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { openEventStream } from "./event-stream.ts";

const keepaliveMs = 15_000;

function open() {
  const timers = createManualTimers();
  let departures = 0;
  const stream = openEventStream({ timers }, () => {
    departures += 1;
  });
  return { timers, stream, departures: () => departures };
}

const opening = ":\n\n";
const event = (frame: string) => `event: message\ndata: ${frame}\n\n`;

test("Frames are sent as events in order, and the stream ends after the last one", async () => {
  const { stream } = open();
  const text = new Response(stream.body).text();
  stream.sendProgress("1");
  await Promise.resolve();
  stream.sendProgress("2");
  stream.end("3");
  expect(await text).toBe(opening + event("1") + event("2") + event("3"));
});

test("A waiting reader gets each frame exactly once", async () => {
  const { stream } = open();
  const reader = stream.body.getReader();
  await reader.read();
  const first = reader.read();
  stream.sendProgress("1");
  stream.end("2");
  expect([await readEvent(first), await readEvent(reader.read())]).toEqual([
    event("1"),
    event("2"),
  ]);
  expect((await reader.read()).done).toBe(true);
});

test("A slow reader gets the first frames and the latest one", async () => {
  const { stream } = open();
  for (let step = 1; step <= 100_000; step += 1) stream.sendProgress(String(step));
  stream.end("result");
  const first = Array.from({ length: 15 }, (_, index) => event(String(index + 1)));
  expect(await new Response(stream.body).text()).toBe(
    opening + first.join("") + event("100000") + event("result"),
  );
});

test("The keepalive comment of the specification is sent every 15 seconds", async () => {
  const { stream, timers } = open();
  const reader = stream.body.getReader();
  expect(await readEvent(reader.read())).toBe(opening);
  for (let count = 0; count < 3; count += 1) {
    const next = reader.read();
    timers.advance(keepaliveMs - 1);
    expect(Bun.peek.status(next)).toBe("pending");
    timers.advance(1);
    expect(await readEvent(next)).toBe(":keepalive\n\n");
  }
});

test("Keepalives do not accumulate for a slow reader", async () => {
  const { stream, timers } = open();
  timers.advance(1000 * keepaliveMs);
  stream.end("result");
  const text = await new Response(stream.body).text();
  expect(text).toBe(`${opening}${":keepalive\n\n".repeat(15)}${event("result")}`);
});

test("A disconnect is reported once, and later frames are dropped", async () => {
  const { stream, timers, departures } = open();
  await stream.body.cancel();
  stream.sendProgress("1");
  stream.end("2");
  timers.advance(keepaliveMs);
  expect(departures()).toBe(1);
});

test("The end of the stream is not reported as a disconnect", async () => {
  const { stream, departures } = open();
  stream.end("1");
  await new Response(stream.body).text();
  expect(departures()).toBe(0);
});

async function readEvent(read: Promise<{ value?: Uint8Array }>): Promise<string> {
  return new TextDecoder().decode((await read).value);
}

test("A sender waits until the reader has read what it was sent", async () => {
  const { stream } = open();
  const reader = stream.body.getReader();
  await reader.read();
  stream.send("1");
  stream.send("2");
  let isFree = false;
  const waiting = stream.waitForReader().then(() => {
    isFree = true;
  });
  expect(await readEvent(reader.read())).toBe(event("1"));
  await Promise.resolve();
  expect(isFree).toBe(false);
  expect(await readEvent(reader.read())).toBe(event("2"));
  await waiting;
  stream.send("3");
  const left = stream.waitForReader();
  await reader.cancel();
  await left;
});
