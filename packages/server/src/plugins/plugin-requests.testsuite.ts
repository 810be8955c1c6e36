import { expect, test } from "bun:test";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { findFailure } from "./testing/find-failure.ts";
import { createTestCall } from "./testing/test-call.ts";

/** The requests that the fixture connector sends. */
export function describeRequests(find: () => RegisteredConnector): void {
  test("Private addresses are refused, except the row's own (SSRF)", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hi") });
    try {
      const refused = createTestCall({
        operation: "fetch",
        params: { url: server.url.href, times: 1 },
      });
      expect(await findFailure(find().invoke(refused.call))).toMatchObject({ code: "blocked" });
      const { call, received } = createTestCall({
        operation: "fetch",
        params: { url: server.url.href, times: 1 },
        outbound: { savedHosts: [server.url.host], allow: [] },
      });
      expect(await find().invoke(call)).toEqual(["hi"]);
      expect(received).toEqual([["httpStatus", 200]]);
    } finally {
      await server.stop(true);
    }
  });

  test("Requests of one row share a connection, and those of two rows share none", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (req, self) => new Response(String(self.requestIP(req)?.port)),
    });
    try {
      const { call } = createTestCall({
        operation: "fetch",
        params: { url: server.url.href, times: 1 },
        outbound: { savedHosts: [server.url.host], allow: [] },
      });
      const other = { ...call, rowId: "row-2", config: { ...call.config, api_token: "other" } };
      const first = await find().invoke(call);
      expect(await find().invoke(other)).not.toEqual(first);
      expect(await find().invoke(call)).toEqual(first);
    } finally {
      await server.stop(true);
    }
  });

  test("The connector is notified when its call is cancelled", async () => {
    const told = Promise.withResolvers<void>();
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch() {
        told.resolve();
        return new Response();
      },
    });
    try {
      const abort = new AbortController();
      const { call } = createTestCall({
        operation: "hang",
        params: { tell_url: server.url.href },
        signal: abort.signal,
        onProgress: () => abort.abort(new Error("gone")),
      });
      await find()
        .invoke(call)
        .catch(() => {});
      await told.promise;
    } finally {
      await server.stop(true);
    }
  });
}
