/** A plugin of version 1, built with HashiCorp's library: what it is sent is what its author expects. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cp, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";
import { buildClassic, type ClassicBuild } from "./support/classic-folder.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import type { TestClient } from "./support/mcp-client.ts";
import {
  type RecordingHost,
  type SentRequest,
  startRecordingHost,
} from "./support/recording-host.ts";
import { runCli } from "./support/run-cli.ts";

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
  let admin: { headers: Record<string, string> };
  let lastSent: SentRequest[] = [];

  beforeAll(async () => {
    owned.defer(classic.remove);
    hub = owned.use(await openApiHub());
    host = owned.use(await startRecordingHost(() => ({ body: {} })));
    const folder = await classic.writeFolder(join(hub.dataDir, "source"));
    await hub.admin.plugins.install(folder, { cwd: hub.dataDir });
    const values = { base_url: host.url, session: "session-of-the-row" };
    const row = await hub.admin.rows.add({ connector: "classic", label: "C", values });
    rowId = row.id;
    const root = await hub.addUser("root@example.com", { admin: true });
    admin = { headers: root.headers };
    client = owned.use(await connectHttp(hub.url, root.token));
  });
  afterAll(() => owned.disposeAsync());

  const hubCli = (...args: string[]) => runCli({ dataDir: hub.dataDir }, args);

  async function execute(operation: string, params: Record<string, unknown>) {
    const { isError, value } = await client.execute(`conn:${rowId}/${operation}`, params);
    lastSent = host.takeSent();
    const arrived = lastSent.map(({ method, target, body }) => ({ method, target, body }));
    return { isError, value, arrived };
  }

  test("whose manifest names no kind is a connector", async () => {
    expect(await hub.admin.plugins.show("classic")).toMatchObject({
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
      const { groups } = await hub.admin.rows.settings(rowId);
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

  describe("its html widgets", () => {
    const use = (input: object) =>
      hub.request("POST", `/manager/api/rows/${rowId}/fields/panel/widget`, {
        ...admin,
        body: input,
      });
    const find = async (key: string) => {
      const runs = await hub.admin.runs.list({ row: rowId, operation: key });
      return await hub.admin.runs.show(runs[0]?.id ?? "");
    };
    /** What another widget renders with, and what a call is sent as credentials. */
    const readRow = async () => {
      const { body } = await use({});
      await execute("get_issue", { number: 1, closed: true });
      const [sent] = lastSent;
      const account = /as (.*)<\/p>/.exec(body.html)?.[1];
      return { account, authorization: sent?.headers.authorization };
    };

    test("a render sends browser, the present value, and the named elements", async () => {
      expect((await use({})).body).toEqual({ html: '<p>panel {"browser":""} as </p>' });
      await use({ op: "__select", arg: "north" });
      const { body } = await use({ input: { user: "ada" } });
      expect(body.html).toBe('<p>panel {"browser":"north","user":"ada"} as </p>');
    });

    test("the fields of a mere render are not saved", async () => {
      await use({});
      expect((await readRow()).account).toBe("");
    });

    test("a click sends browser, its data-arg, and its answer is shown", async () => {
      const { body } = await use({ op: "sign_out", arg: "now", input: { why: "done" } });
      expect(body.result).toEqual({ done: "now", fields: { session: "" } });
      expect(body.html).toStartWith("<p>panel");
      const shown = await use({ op: "sign_in", input: { user: "ada", password: "pass-word-1" } });
      expect(shown.body.html).toContain('"browser":"north"');
      expect(shown.body.html).toContain('"user":"ada"');
    });

    test("the fields of a click are saved, hidden and secret ones too, and never locked or url ones", async () => {
      const { body } = await use({ op: "sign_in", input: { user: "grace" } });
      expect(body.saved).toEqual(["account", "session"]);
      expect(body.not_saved).toEqual([
        { field: "absent", reason: "The connector has no such field." },
        { field: "base_url", reason: "Only an admin can change an address." },
        { field: "edition", reason: "It cannot be changed after the row is created." },
      ]);
      expect(await readRow()).toEqual({
        account: "grace",
        authorization: "Bearer session-of-grace",
      });
      const [change] = await hub.admin.changes.list({ action: "row.update" });
      expect(change?.detail).toEqual({ fields: ["account", "session"] });
    });

    test("a secret that a click brings is in no answer and in no record, nor is what was typed", async () => {
      const input = { user: "alan", password: "typed-pass-word" };
      const { body } = await use({ op: "sign_in", input });
      const run = await find("sign_in");
      expect(JSON.stringify([body.result, run])).not.toContain("session-of-alan");
      expect(JSON.stringify(run.request)).not.toContain("typed-pass-word");
      expect(run.request).toEqual({
        browser: "north",
        _omitted: "Values of the widget's elements were not stored: user, password.",
      });
    });

    test("fields that do not fit are not saved, none of them, and the answer says so", async () => {
      const { status, body } = await use({ op: "break_fields" });
      expect(status).toBe(400);
      expect(body.error).toContain('"break_fields" ran, but none of its fields was saved.');
      expect((await readRow()).account).toBe("alan");
    });

    test("are tried by the command line with the elements that they hold", async () => {
      const { json } = await hubCli(
        ...["row", "test", rowId, "sign_in", "--param", "input.user=kay", "--json"],
      );
      expect(json<{ html: string }>().html).toBe('<p>signed in {"user":"kay"}</p>');
    });

    test("work while required configuration is missing, and are no tools of clients", async () => {
      const row = await hub.admin.rows.add({ connector: "classic", label: "Empty" });
      const path = `/manager/api/rows/${row.id}/fields/panel/widget`;
      const { body } = await hub.request("POST", path, {
        ...admin,
        body: { op: "sign_in", input: { user: "a" } },
      });
      expect(body.saved).toEqual(["account", "session"]);
      expect((await execute("settings_panel", {})).isError).toBeTrue();
      expect((await execute("sign_in", {})).isError).toBeTrue();
    });
  });

  describe("what it stores, found from the path of its program", () => {
    const remember = (text: string) => execute("remember", { text });
    const recall = async () => (await execute("recall", {})).value;
    const install = (source: string) =>
      hub.admin.plugins.install(source, { cwd: hub.dataDir, replace: true });

    test("lasts over restarts and updates, and two versions that run at once share it", async () => {
      await remember("first");
      await hub.admin.plugins.disable("classic");
      await hub.admin.plugins.enable("classic");
      expect(await recall()).toBe("first");

      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      host.answerBy(async () => {
        asked.resolve();
        await answered.promise;
        return { body: {} };
      });
      const held = execute("hold", {});
      await asked.promise;
      await install(await classic.writeFolder(join(hub.dataDir, "next"), "1.1.0"));
      expect(await recall()).toBe("first");
      await remember("second");
      answered.resolve();
      expect((await held).value).toBe("second");
    });

    test("stays apart from the rest, is there after removal, and goes with `--data`", async () => {
      await remember("kept");
      const plugins = join(hub.dataDir, "plugins");
      expect(await Bun.file(join(plugins, ".homes/classic/memory")).text()).toBe("kept");
      await hub.admin.plugins.remove("classic");
      await install(join(hub.dataDir, "next"));
      expect(await recall()).toBe("kept");
      const removed = await hubCli("plugin", "remove", "classic");
      const advice = /`hub (plugin remove classic --data)`/.exec(removed.stdout)?.[1] ?? "";
      expect((await hubCli(...advice.split(" "))).stdout).toBe(
        "Removed classic. Its rows are kept; the data that its program stored is deleted.\n",
      );
      await install(join(hub.dataDir, "next"));
      expect(await recall()).toBeNull();
    });

    test("is found after the start that lays an older install out anew", async () => {
      await remember("from before");
      const version = await readlink(join(hub.dataDir, "plugins/classic"));
      const { path: dataDir } = owned.use(await createDataFolder());
      await layOutOld(join(hub.dataDir, "plugins", version), join(dataDir, "plugins"));
      const later = owned.use(await openApiHub({ HUB_DATA_DIR: dataDir }));
      const values = { base_url: host.url };
      const { id } = await later.admin.rows.add({ connector: "classic", label: "C", values });
      const who = await later.addUser("root@example.com", { admin: true });
      await using again = await connectHttp(later.url, who.token);
      await again.execute(`conn:${id}/remember`, { text: "anew" });
      expect((await again.execute(`conn:${id}/recall`)).value).toBe("anew");
      expect(await Bun.file(join(dataDir, "plugins/.homes/classic/memory")).text()).toBe("anew");
    });
  });
}

/** As hubs laid plugins out before: the parts flat in the version's folder. */
async function layOutOld(version: string, plugins: string): Promise<void> {
  await cp(join(version, "plugins/connectors/classic"), join(plugins, ".versions/classic/0-old"), {
    recursive: true,
  });
  await symlink(".versions/classic/0-old", join(plugins, "classic"));
}
