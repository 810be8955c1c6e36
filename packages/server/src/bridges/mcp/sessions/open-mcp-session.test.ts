import { expect, test } from "bun:test";
import { createOpenRequests } from "../messages/open-requests.ts";
import { openSession, type SessionLink } from "./open-mcp-session.ts";

test("A connection is closed if the pool stops while the server is asked for its protocol", async () => {
  const asked = Promise.withResolvers<void>();
  let closes = 0;
  const transport: SessionLink["transport"] = {
    async start() {},
    async send() {
      asked.resolve();
    },
    async close() {
      closes += 1;
    },
  };
  const link: SessionLink = {
    transport,
    requests: createOpenRequests(),
    mode: "auto",
    takesMemory: false,
    connectMs: 60_000,
    probeMs: 60_000,
    hasSessionId: () => false,
    findFailure: () => null,
    beginCall: () => ({ headers: {}, lost: new AbortController().signal, end() {} }),
    async terminate() {},
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const abort = new AbortController();
  const opening = openSession(
    { log, rowId: "row", onToolsChanged() {}, shows: null, pageHosts: new Set() },
    link,
    abort.signal,
  );
  await asked.promise;
  abort.abort(new Error("the hub is stopping"));
  await expect(opening).rejects.toThrow("the hub is stopping");
  expect(closes).toBeGreaterThan(0);
});
