/** A plugin of version 1 that is built with HashiCorp's go-plugin gets the requests that its author expects. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cp, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { createDataFolder } from "../support/data-folder.ts";
import type { TestClient } from "../support/mcp-client.ts";
import {
  type RecordingHost,
  type SentRequest,
  startRecordingHost,
} from "../support/recording-host.ts";
import { runCli } from "../support/run-cli.ts";
import { buildVersion1Plugin, type Version1Build } from "./support/version-1-plugin.ts";

setDefaultTimeout(180_000);

const built = buildVersion1Plugin();
if ("reason" in built) {
  console.warn(`Skipped: plugins of version 1 built with go-plugin, because ${built.reason}.`);
} else {
  describe("A plugin of version 1", () => describeVersion1Plugin(built));
}

function describeVersion1Plugin(classic: Version1Build): void {
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
    const values = { base_url: host.url, session: "session-of-the-row-4tV9pQx7Lw2Rn8" };
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

  test("A plugin of version 1 without a kind in its manifest is a connector", async () => {
    expect(await hub.admin.plugins.show("classic")).toMatchObject({
      proto_version: 1,
      problem: null,
    });
  });

  describe("Omitted params", () => {
    test("Omitted params are not sent: a new description does not make a private repository public", async () => {
      const { arrived } = await execute("update_repo", { description: "New." });
      expect(arrived).toEqual([
        { method: "PATCH", target: "/repo", body: '{"description":"New."}' },
      ]);
    });

    test("Given params are sent, including false and 0", async () => {
      const { arrived } = await execute("update_repo", { private: false, archived: true });
      expect(arrived[0]?.body).toBe('{"archived":true,"private":false}');
      const issue = await execute("get_issue", { number: 0, closed: false });
      expect(issue.arrived[0]?.target).toBe("/get_issue?closed=false&number=0");
    });

    test("Omitted required params are refused, including numbers and booleans", async () => {
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

    test("Omitted configuration fields get the default of the manifest", async () => {
      const { groups } = await hub.admin.rows.settings(rowId);
      const fields = groups.flatMap((group) => group.fields);
      expect(fields.find(({ key }) => key === "retries")?.value).toBe("3");
    });
  });

  describe("Formats of inputs", () => {
    const oddValues = {
      since: "7d",
      at: "yesterday",
      site: "localhost:80",
      mail: "me",
      shade: "red",
    };

    test("A value that does not match the format of an input is accepted", async () => {
      const { isError, arrived } = await execute("find", oddValues);
      expect(isError).toBeFalse();
      const query = new URL(arrived[0]?.target ?? "", "http://x").searchParams;
      expect(Object.fromEntries(query)).toEqual(oddValues);
    });

    test("The input schema contains formats only as descriptions", async () => {
      const { value } = await client.call("hub_get", { tool_id: `conn:${rowId}/find` });
      const { since, at, shade } = value.input_schema.properties;
      expect(since).toEqual({ type: "string", description: "Usually a date such as 2026-11-20." });
      expect(at.pattern ?? shade.pattern).toBeUndefined();
    });

    test("An object, array or boolean for a text input is sent as JSON", async () => {
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

  describe("Its html widgets", () => {
    const use = (input: object) =>
      hub.request("POST", `/manager/api/rows/${rowId}/fields/panel/widget`, {
        ...admin,
        body: input,
      });
    const findRun = async (key: string) => {
      const runs = await hub.admin.runs.list({ row: rowId, operation: key });
      return await hub.admin.runs.show(runs[0]?.id ?? "");
    };
    /** The stored account, as the widget shows it, and the credential that a call sends. */
    const readRow = async () => {
      const { body } = await use({});
      await execute("get_issue", { number: 1, closed: true });
      const [sent] = lastSent;
      const account = /as (.*)<\/p>/.exec(body.html)?.[1];
      return { account, authorization: sent?.headers.authorization };
    };

    test("A render sends `browser`, the current value and the named elements", async () => {
      expect((await use({})).body).toEqual({ html: '<p>panel {"browser":""} as </p>' });
      await use({ op: "__select", arg: "north" });
      const { body } = await use({ input: { user: "ada" } });
      expect(body.html).toBe('<p>panel {"browser":"north","user":"ada"} as </p>');
    });

    test("The fields that a render returns are not saved", async () => {
      await use({});
      expect((await readRow()).account).toBe("");
    });

    test("A click sends `browser` and its data-arg, and its answer is shown", async () => {
      const { body } = await use({ op: "sign_out", arg: "now", input: { why: "done" } });
      expect(body.result).toEqual({ done: "now", fields: { session: "" } });
      expect(body.html).toStartWith("<p>panel");
      const shown = await use({ op: "sign_in", input: { user: "ada", password: "pass-word-1" } });
      expect(shown.body.html).toContain('"browser":"north"');
      expect(shown.body.html).toContain('"user":"ada"');
    });

    test("The fields that a click returns are saved, including hidden and secret ones, but not locked or url fields", async () => {
      const { body } = await use({ op: "sign_in", input: { user: "grace-9fK2xQ7vLm4R" } });
      expect(body.saved).toEqual(["account", "session"]);
      expect(body.not_saved).toEqual([
        { field: "absent", reason: "The connector has no such field." },
        { field: "base_url", reason: "Only an admin can change an address." },
        { field: "edition", reason: "It cannot be changed after the row is created." },
      ]);
      expect(await readRow()).toEqual({
        account: "grace-9fK2xQ7vLm4R",
        authorization: "Bearer session-of-grace-9fK2xQ7vLm4R",
      });
      const [change] = await hub.admin.changes.list({ action: "row.update" });
      expect(change?.detail).toEqual({ fields: ["account", "session"] });
    });

    test("Secrets and typed values of a click are in no answer and no run", async () => {
      const input = { user: "alan-7tRb2WnL5yHd", password: "typed-pass-word" };
      const { body } = await use({ op: "sign_in", input });
      const run = await findRun("sign_in");
      expect(JSON.stringify([body.result, run])).not.toContain("session-of-alan-7tRb2WnL5yHd");
      expect(JSON.stringify(run.request)).not.toContain("typed-pass-word");
      expect(run.request).toEqual({
        browser: "north",
        _omitted: "Values of the widget's elements were not stored: user, password.",
      });
    });

    test("If one returned field is invalid, no field is saved, and the answer says so", async () => {
      const { status, body } = await use({ op: "break_fields" });
      expect(status).toBe(400);
      expect(body.error).toContain('"break_fields" ran, but none of its fields was saved.');
      expect((await readRow()).account).toBe("alan-7tRb2WnL5yHd");
    });

    test("The command line can test a widget operation with named elements", async () => {
      const { json } = await hubCli(
        ...["row", "test", rowId, "sign_in", "--param", "input.user=kay", "--json"],
      );
      expect(json<{ html: string }>().html).toBe('<p>signed in {"user":"kay"}</p>');
    });

    test("Widgets work before setup is complete, and clients cannot call their operations", async () => {
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

  describe("Data in the folder of its program", () => {
    const writeMemory = (text: string) => execute("remember", { text });
    const readMemory = async () => (await execute("recall", {})).value;
    const install = (source: string) =>
      hub.admin.plugins.install(source, { cwd: hub.dataDir, replace: true });

    test("A plugin's data survives restarts and updates, and two running versions share it", async () => {
      await writeMemory("first");
      await hub.admin.plugins.disable("classic");
      await hub.admin.plugins.enable("classic");
      expect(await readMemory()).toBe("first");

      const requested = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      host.answerBy(async () => {
        requested.resolve();
        await answered.promise;
        return { body: {} };
      });
      const running = execute("hold", {});
      await requested.promise;
      await install(await classic.writeFolder(join(hub.dataDir, "next"), "1.1.0"));
      expect(await readMemory()).toBe("first");
      await writeMemory("second");
      answered.resolve();
      expect((await running).value).toBe("second");
    });

    test("A plugin's data is kept on removal, and deleted with `--data`", async () => {
      await writeMemory("kept");
      const plugins = join(hub.dataDir, "plugins");
      expect(await Bun.file(join(plugins, ".homes/classic/memory")).text()).toBe("kept");
      await hub.admin.plugins.remove("classic");
      await install(join(hub.dataDir, "next"));
      expect(await readMemory()).toBe("kept");
      const removed = await hubCli("plugin", "remove", "classic");
      const advice = /`hub (plugin remove classic --data)`/.exec(removed.stdout)?.[1] ?? "";
      expect((await hubCli(...advice.split(" "))).stdout).toBe(
        "Removed classic. Its rows are kept; the data that its program stored is deleted.\n",
      );
      await install(join(hub.dataDir, "next"));
      expect(await readMemory()).toBeNull();
    });

    test("A plugin's data is found after the migration of an older installation", async () => {
      await writeMemory("from before");
      const version = await readlink(join(hub.dataDir, "plugins/classic"));
      const { path: dataDir } = owned.use(await createDataFolder());
      await writeOldLayout(join(hub.dataDir, "plugins", version), join(dataDir, "plugins"));
      const later = owned.use(await openApiHub({ HUB_DATA_DIR: dataDir }));
      const values = { base_url: host.url };
      const { id } = await later.admin.rows.add({ connector: "classic", label: "C", values });
      const root = await later.addUser("root@example.com", { admin: true });
      await using again = await connectHttp(later.url, root.token);
      await again.execute(`conn:${id}/remember`, { text: "anew" });
      expect((await again.execute(`conn:${id}/recall`)).value).toBe("anew");
      expect(await Bun.file(join(dataDir, "plugins/.homes/classic/memory")).text()).toBe("anew");
    });
  });
}

/** Writes the layout of older hubs: all files flat in the folder of the version. */
async function writeOldLayout(version: string, plugins: string): Promise<void> {
  await cp(join(version, "plugins/connectors/classic"), join(plugins, ".versions/classic/0-old"), {
    recursive: true,
  });
  await symlink(".versions/classic/0-old", join(plugins, "classic"));
}
