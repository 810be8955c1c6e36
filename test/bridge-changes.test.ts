/** A row follows its MCP server: what the server tells of its tools reaches the review of an admin. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openBridgeAdmin } from "./support/bridges/bridge-admin.ts";
import { serveOfficial } from "./support/bridges/serve-official.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  const BUN_OPTIONS = `--preload ${join(import.meta.dirname, "support/short-jobs.ts")}`;
  hub = owned.use(await startHub({ env: { BUN_OPTIONS } }));
});

afterAll(() => owned.disposeAsync());

test("A server that tells of a new tool is discovered again, and the tool waits for an admin", async () => {
  await using server = serveOfficial();
  await using client = await connectHttp(hub.url, hub.adminToken());
  const admin = await openBridgeAdmin(hub);
  const row = await admin.addRow({ connector: "mcp", label: "Official" }, { url: server.url });
  await admin.discover(row);
  await admin.approve(row);
  expect((await client.execute(`conn:${row}/look`, {})).value).toBe("a garden");

  server.addTool("dig", { description: "Digs.", answer: "a hole" });
  const found = await waitFor(async () => {
    const { reviewed } = await admin.review(row);
    return reviewed.length > 0 && reviewed;
  });
  expect(found).toMatchObject([{ key: "dig", review: "new", source_name: "dig" }]);
  const waiting = await client.execute(`conn:${row}/dig`, {});
  expect(waiting.value).toMatchObject({ code: "operation_disabled" });
  expect((await client.execute(`conn:${row}/look`, {})).value).toBe("a garden");

  await admin.approve(row);
  expect((await client.execute(`conn:${row}/dig`, {})).value).toBe("a hole");
});
