import { afterAll, expect, test } from "bun:test";
import { httpConnector } from "../../connectors/builtin/http/http-connector.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

/** A server that returns only the characters after the scheme of the header. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const sent = (req.headers.get("authorization") ?? "").replace(/^\w+ /, "");
    const status = new URL(req.url).pathname === "/fail" ? 500 : 200;
    return Response.json({ message: `seen ${sent}`, upper: sent.toUpperCase() }, { status });
  },
});
afterAll(() => server.stop(true));

test.each([
  ["200", "/ok"],
  ["500", "/fail"],
])("With status %s, an answer with the token of an Authorization header does not show it in reply, record or log", async (_status, path) => {
  const token = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
  const hub = await openTestOperations(httpConnector, { outboundAllow: ["127.0.0.0/8"] });
  try {
    const rowId = await hub.addRow({
      tags: ["team"],
      values: {
        base_url: `http://127.0.0.1:${server.port}`,
        auth_mode: "header",
        header_name: "Authorization",
      },
      secrets: { header_value: `Token ${token}` },
    });
    const asked = { toolId: toToolId(rowId, "get"), params: { path } };
    const reply = await hub.operations.calls.call(toTestCall(["team"]), asked).then(
      ({ text }) => text,
      (thrown: unknown) => JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)),
    );
    const runs = await listRuns(hub.store.db, { limit: 10 });
    const left = JSON.stringify([reply, runs, hub.logged]);
    expect(left).toContain("hub_enc_");
    expect(left.toLowerCase()).not.toContain(token);
  } finally {
    await hub.close();
  }
});
