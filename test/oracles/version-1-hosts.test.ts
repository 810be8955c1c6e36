/** Our plugins, built for version 1 of the plugin protocol, in a host that uses only HashiCorp's go-plugin. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { openApiHub } from "../api/open-api-hub.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { createLogHost } from "../support/log-host.ts";
import { type AuthorFolder, openAuthorFolder } from "../support/make-plugin.ts";
import { type RecordingHost, startRecordingHost } from "../support/recording-host.ts";
import { runCli } from "../support/run-cli.ts";
import { buildGoPlugin } from "./support/build-go-plugin.ts";

setDefaultTimeout(180_000);

const root = resolve(import.meta.dirname, "../..");
const built = buildGoPlugin();
if ("reason" in built) {
  console.warn(`Skipped: our plugins in a host of version 1, because ${built.reason}.`);
} else {
  describe("In a host of version 1", () => describeHost(built));
}

function describeHost(goProgram: { binaryPath: string; remove(): void }): void {
  const owned = new AsyncDisposableStack();
  let author: AuthorFolder;
  let publicKey: string;
  const folders: Record<string, string> = {};

  beforeAll(async () => {
    owned.defer(goProgram.remove);
    author = owned.use(await openAuthorFolder());
    const keygen = await author.wick("keygen", "--out", "sign.key", "--json");
    publicKey = keygen.json<{ public_key: string }>().public_key;
    await author.makeTracker();
    const forOthers = ["--protocol", "1", "--sign-key", join(author.path, "sign.key")];
    for (const key of ["tracker", "logs", "codehost"]) {
      const isOurs = key !== "tracker";
      const out = isOurs ? ["--out", join(author.path, "others")] : [];
      const archive = await build(isOurs ? root : author.path, [key, ...forOthers, ...out]);
      folders[key] = await author.unpack(archive, `${key}-unpacked`);
      await chmod(join(folders[key] ?? "", key), 0o700);
    }
  });
  afterAll(() => owned.disposeAsync());

  async function build(cwd: string, args: string[]): Promise<string> {
    const main = join(root, "packages/cli/src/wick.ts");
    const env = { HOME: process.env.HOME ?? "" };
    const all = ["plugin", "build", ...args, "--no-compress", "--json"];
    const result = await runCli({ main, dataDir: cwd, env }, all);
    if (result.exitCode !== 0) throw new Error(`wick ${all.join(" ")}: ${result.stderr}`);
    const [archive] = result.json<Array<{ path: string }>>();
    return resolve(cwd, archive?.path ?? "");
  }

  type Call = { args?: Record<string, string>; creds?: Record<string, string>; key?: string };

  // Spawns the process without blocking, because the plugin calls a server in this process.
  async function run(plugin: string, operation: string, { args = {}, creds = {}, key }: Call = {}) {
    const folder = folders[plugin] ?? plugin;
    const child = Bun.spawn({
      cmd: [
        goProgram.binaryPath,
        "host",
        folder,
        operation,
        JSON.stringify(args),
        JSON.stringify(creds),
      ],
      env: { PATH: process.env.PATH ?? "", TRUSTED_KEY: key ?? publicKey },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    return { stderr, ...(stdout !== "" && JSON.parse(stdout)) };
  }

  test("A signed plugin loads in a host of version 1 and answers", async () => {
    const { result, stderr } = await run("tracker", "greet", { args: { who: "Ada" } });
    expect({ result, stderr }).toEqual({ result: { text: "Hello, Ada!" }, stderr: "" });
    const missing = await run("tracker", "greet");
    expect(missing.stderr).toMatch(/bad_args.*who is required/);
    const other = await run("tracker", "greet", { key: Buffer.alloc(32).toString("base64") });
    expect(other.stderr).toContain("signature mismatch");
  });

  test("A build for version 1 has its own folder, and a host of version 1 refuses an archive of version 2", async () => {
    const archive = await author.build("tracker");
    const name = basename(archive);
    expect(archive).toBe(join(author.path, "dist", name));
    expect(await readdir(join(author.path, "dist/protocol-1"))).toEqual([name]);
    const own = await author.unpack(archive, "own");
    expect((await run(own, "greet")).stderr).toContain("protocol version 2");
    const wrong = author.wick("build", "tracker", "--protocol", "3");
    await expect(wrong).rejects.toThrow('"3" is not a version of the plugin protocol. Use 1 or 2.');
  });

  describe("The plugin `logs`", () => {
    let host: RecordingHost;
    let creds: Record<string, string>;
    beforeAll(async () => {
      const timeNs = BigInt(Date.now() - 60_000) * 1_000_000n;
      const lines = [{ timeNs, labels: { app: "api" }, line: "login failed" }];
      host = owned.use(await startRecordingHost(createLogHost({ lines })));
      creds = {
        base_url: host.url,
        auth_mode: "token",
        token: "service-token",
        org_id: "1",
        datasource_uid: "loki-1",
      };
    });

    test("The plugin `logs` applies its defaults and accepts numbers as text", async () => {
      const args = { query: '{app="api"}', limit: "5", start: "", direction: "forward" };
      const { result, stderr } = await run("logs", "query", { args, creds });
      expect(stderr).toBe("");
      expect(result).toMatchObject({ count: 1, entries: [{ line: "login failed" }] });
      const sent = host.takeSent().find(({ target }) => target.startsWith("/api/ds/query"));
      const [query] = JSON.parse(sent?.body ?? "{}").queries;
      // One line more than the limit shows whether there are more lines.
      expect(query).toMatchObject({ maxLines: 6, direction: "forward" });
      expect(sent?.headers).toMatchObject({
        authorization: "Bearer service-token",
        "x-grafana-org-id": "1",
      });
    });

    test("The plugin `logs` renders its widgets in a host of version 1", async () => {
      for (const widget of ["status", "organisations", "datasources"]) {
        const { result, stderr } = await run("logs", widget, { args: { browser: "1" }, creds });
        expect([widget, stderr]).toEqual([widget, ""]);
        expect(result.html).toBeString();
      }
    });
  });

  describe("The plugin `codehost`", () => {
    test("The plugin `codehost` applies its defaults, and sends only the given fields of a change", async () => {
      await using host = await startRecordingHost(({ method }) => ({
        body: method === "GET" ? [] : { name: "hub", full_name: "ada/hub" },
      }));
      const creds = { base_url: `${host.url}/api/v3`, token: "code-token" };
      expect((await run("codehost", "list_repos", { creds })).stderr).toBe("");
      const args = { owner: "ada", repo: "hub", description: "New." };
      expect((await run("codehost", "update_repo", { args, creds })).stderr).toBe("");
      const [list, update] = host.takeSent();
      const { pathname, searchParams } = new URL(list?.target ?? "", host.url);
      expect([pathname, searchParams.get("affiliation")]).toEqual(["/api/v3/user/repos", "owner"]);
      expect(list?.headers.authorization).toBe("Bearer code-token");
      expect(update).toMatchObject({
        method: "PATCH",
        target: "/api/v3/repos/ada/hub",
        body: '{"description":"New."}',
      });
    });

    test("The plugin `codehost` of version 1 applies its defaults in this hub too", async () => {
      await using host = await startRecordingHost(() => ({ body: [] }));
      await using hub = await openApiHub();
      await hub.admin.plugins.install(folders.codehost ?? "", { cwd: root });
      const values = { base_url: `${host.url}/api/v3`, token: "code-token" };
      const row = await hub.admin.rows.add({ connector: "codehost", label: "C", values });
      const { token } = await hub.addUser("root@example.com", { admin: true });
      await using client = await connectHttp(hub.url, token);
      const { isError } = await client.execute(`conn:${row.id}/list_repos`, { per_page: 3 });
      expect(isError).toBeFalse();
      const { searchParams } = new URL(host.takeSent()[0]?.target ?? "", host.url);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        affiliation: "owner",
        per_page: "3",
      });
    });

    test("The plugin `codehost` marks operations that change data as destructive", async () => {
      await using host = await startRecordingHost(() => ({ body: [] }));
      const creds = { base_url: `${host.url}/api/v3`, token: "code-token" };
      const { schema } = await run("codehost", "list_repos", { creds });
      const operations: { Key: string; Destructive: boolean }[] = schema.Operations[0].Ops;
      expect(operations.find(({ Key }) => Key === "merge_pr")?.Destructive).toBeTrue();
      expect(operations).toHaveLength(57);
    });
  });
}
