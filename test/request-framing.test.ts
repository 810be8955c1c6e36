/**
 * Protects: what a caller gives as a body stays the body of one request, and no request goes over a connection
 * of another row. Some requests here, many of them, and to more parsers, by scripts/try-framing.ts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openBytePeer, openNodePeer } from "./support/framing/peers.ts";
import { startFramingHub } from "./support/framing/start-framing-hub.ts";
import { tryFraming } from "./support/framing/trial.ts";
import type { RunningHub } from "./support/start-hub.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;
beforeAll(async () => {
  hub = await startFramingHub(owned);
});
afterAll(() => owned.disposeAsync());

test.each([
  ["a reader of bytes", openBytePeer, 120],
  ["Node", openNodePeer, 60],
] as const)("Requests of all kinds of rows, in turns over kept connections, are whole for %s", async (_, openPeer, count) => {
  const report = await tryFraming(hub, { openPeer, seed: 20_261_127, count, atOnce: 3 });
  expect(report.faults).toEqual([]);
  expect(report.seen).toBeGreaterThan(count);
  expect(report.reused).toBeGreaterThan(8);
});
