/** A plugin of version 1, built with HashiCorp's library: what it is sent is what its author expects. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";
import { buildClassic, type ClassicBuild } from "./support/classic-folder.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";

setDefaultTimeout(120_000);

const built = buildClassic();
if ("reason" in built) {
  console.warn(`Skipped: plugins of version 1 built with go-plugin, because ${built.reason}.`);
} else {
  describe("a plugin of version 1", () => describeClassic(built));
}

function describeClassic(classic: ClassicBuild): void {
  const owned = new AsyncDisposableStack();
  let hub: ApiHub;
  let host: RecordingHost;
  let client: TestClient;
  let rowId: string;

  beforeAll(async () => {
    owned.defer(classic.remove);
    hub = owned.use(await openApiHub());
    host = owned.use(await startRecordingHost(() => ({ body: {} })));
    const folder = await classic.writeFolder(join(hub.dataDir, "source"));
    await hub.manager.plugins.install(folder, { cwd: hub.dataDir });
    const values = { base_url: host.url, session: "session-of-the-row" };
    const row = await hub.manager.rows.add({ connector: "classic", label: "C", values });
    rowId = row.id;
    const admin = await hub.addUser("root@example.com", { admin: true });
    client = owned.use(await connectHttp(hub.url, admin.token));
  });
  afterAll(() => owned.disposeAsync());

  async function execute(operation: string, params: Record<string, unknown>) {
    const { isError, value } = await client.execute(`conn:${rowId}/${operation}`, params);
    const arrived = host.takeSent().map(({ method, target, body }) => ({ method, target, body }));
    return { isError, value, arrived };
  }

  test("whose manifest names no kind is a connector", async () => {
    expect(await hub.manager.plugins.show("classic")).toMatchObject({
      proto_version: 1,
      problem: null,
    });
  });

  describe("what a caller leaves out", () => {
    test("is not sent: a new description does not make a private repository public", async () => {
      const { arrived } = await execute("update_repo", { description: "New." });
      expect(arrived).toEqual([
        { method: "PATCH", target: "/repo", body: '{"description":"New."}' },
      ]);
    });

    test("and what a caller gives is sent, false and 0 included", async () => {
      const { arrived } = await execute("update_repo", { private: false, archived: true });
      expect(arrived[0]?.body).toBe('{"archived":true,"private":false}');
      const issue = await execute("get_issue", { number: 0, closed: false });
      expect(issue.arrived[0]?.target).toBe("/get_issue?closed=false&number=0");
    });

    test("is asked for where it is required, numbers and switches too", async () => {
      const { isError, value, arrived } = await execute("get_issue", {});
      expect(isError).toBeTrue();
      expect(value.issues).toEqual([
        { path: "number", message: "is required" },
        { path: "closed", message: "is required" },
      ]);
      expect(arrived).toEqual([]);
      const { value: tool } = await client.call("hub_get", { tool_id: `conn:${rowId}/get_issue` });
      expect(tool.input_schema.required).toEqual(["number", "closed"]);
      expect(JSON.stringify(tool.input_schema)).not.toContain('"default"');
    });

    test("of its configuration has the manifest's default", async () => {
      const { groups } = await hub.manager.rows.settings(rowId);
      const fields = groups.flatMap((group) => group.fields);
      expect(fields.find(({ key }) => key === "retries")?.value).toBe("3");
    });
  });

  describe("formats of its inputs", () => {
    const odd = {
      since: "7d",
      at: "yesterday",
      site: "localhost:80",
      mail: "me",
      shade: "red",
    };

    test("describe and do not refuse", async () => {
      const { isError, arrived } = await execute("find", odd);
      expect(isError).toBeFalse();
      const query = new URL(arrived[0]?.target ?? "", "http://x").searchParams;
      expect(Object.fromEntries(query)).toEqual(odd);
    });

    test("are no assertions of the schema that a client could refuse them by", async () => {
      const { value } = await client.call("hub_get", { tool_id: `conn:${rowId}/find` });
      const { since, at, shade } = value.input_schema.properties;
      expect(since).toEqual({ type: "string", description: "Usually a date such as 2026-11-20." });
      expect(at.pattern ?? shade.pattern).toBeUndefined();
    });

    test("an object, a list or a switch for a text arrives as its JSON", async () => {
      const params = { filter: { state: "open", big: 1 }, words: ["a", "b"] };
      const { arrived } = await execute("find", params);
      const query = new URL(arrived[0]?.target ?? "", "http://x").searchParams;
      expect(Object.fromEntries(query)).toEqual({
        filter: '{"state":"open","big":1}',
        words: '["a","b"]',
      });
      const { arrived: flag } = await execute("find", { words: true });
      expect(flag[0]?.target).toBe("/find?words=true");
    });
  });
}
