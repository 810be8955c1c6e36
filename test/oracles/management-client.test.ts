/**
 * The management API with independent tools: its OpenAPI document is valid, a generated client compiles,
 * and a proxy checks every answer to that client against the document.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import { isWholeAmount } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { createLogHost } from "../support/log-host.ts";
import { openAuthorFolder } from "../support/make-plugin.ts";
import { buildPluginCatalog } from "../support/plugin-catalog.ts";
import { startRecordingHost } from "../support/recording-host.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { runAdminTasks } from "./support/admin-tasks.ts";
import { type GithubEmulator, startGithubEmulator } from "./support/github-emulator.ts";
import { startPrismProxy } from "./support/prism-proxy.ts";

setDefaultTimeout(300_000);

const password = "p4ss-of-the-log-host-9fK2xQ7vLm4R";
const root = resolve(import.meta.dirname, "../..");
const owned = new AsyncDisposableStack();
let home: string;
let hub: RunningHub;
let github: GithubEmulator;
let logsUrl: string;
let document: Parameters<typeof startPrismProxy>[0];
let publishNext: () => Promise<void>;

beforeAll(async () => {
  home = owned.use(await createDataFolder()).path;
  const env = isWholeAmount ? { HUB_PLUGIN_CATALOG: await openOutside() } : {};
  hub = owned.use(await startHub({ env }));
  document = await (await fetch(`${hub.url}/openapi.json`)).json();
});
afterAll(() => owned.disposeAsync());

/** What the tasks of an admin need: a code host, a log host, and a catalog of plugins, whose URL it returns. */
async function openOutside(): Promise<string> {
  const shop = join(home, "shop");
  await mkdir(shop);
  await buildPluginCatalog(["codehost", "logs"], shop, "thin");
  const author = owned.use(await openAuthorFolder());
  await author.wick("init", "tracker");
  const publish = async (version: string) => {
    const file = join(author.path, "tracker", "package.json");
    const source = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...source, version }));
    const archive = await author.buildScript("tracker");
    await rename(archive, join(shop, basename(archive)));
    await author.wick("catalog", "--from", shop, "--out", join(shop, "plugins.json"));
  };
  await publish("0.1.0");
  publishNext = () => publish("0.2.0");
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (req) => new Response(Bun.file(join(shop, basename(req.url)))),
  });
  owned.defer(() => site.stop(true));

  github = owned.use(await startGithubEmulator(home));
  const timeNs = BigInt(Date.now() - 60_000) * 1_000_000n;
  const logHost = createLogHost({
    lines: [{ timeNs, labels: { app: "api" }, line: "login failed" }],
    authorization: `Basic ${btoa(`ada:${password}`)}`,
  });
  logsUrl = owned.use(await startRecordingHost(logHost)).url;
  return `${site.url}plugins.json`;
}

test("The served document is a valid OpenAPI 3.1 document", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(Object(document)));
  expect([valid, errors]).toEqual([true, undefined]);
});

test("A client that openapi-typescript generates from the document compiles in strict mode", async () => {
  const folder = join(home, "client");
  await mkdir(folder);
  const types = astToString(await openapiTS(JSON.stringify(document)));
  await writeFile(join(folder, "management-api.generated.ts"), types);
  const tasks = join(import.meta.dirname, "support/admin-tasks.ts");
  await copyFile(tasks, join(folder, "admin-tasks.ts"));
  await symlink(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    ...(await import("../../tsconfig.json")).default.compilerOptions,
    types: [],
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    exactOptionalPropertyTypes: true,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = Bun.spawn([process.execPath, join(root, "node_modules/.bin/tsc"), "-p", folder], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, exitCode] = await Promise.all([tsc.stdout.text(), tsc.exited]);
  expect([output, exitCode]).toEqual(["", 0]);
});

nightlyTest(
  "The generated client works for an admin's typical tasks, and every answer matches the document",
  async () => {
    const proxy = owned.use(await startPrismProxy(document, hub.url, home));
    const { transcript, actions, found, ...report } = await runAdminTasks({
      url: proxy.url,
      directUrl: hub.url,
      adminToken: await hub.makeManageToken(),
      codehost: github,
      logs: { url: logsUrl, username: "ada", password },
      publishNext,
      async makeToken(email) {
        const made = await hub.cli(
          "token",
          "create",
          "--user",
          email,
          "--name",
          "day",
          "--scope",
          "manage",
          "--json",
        );
        return made.json<{ token: string }>().token;
      },
    });
    const phases = ["downloading", "verifying", "replacing", "done"];
    expect(report).toMatchObject({
      phases: { install: phases, update: phases },
      login: "octocat",
      rowsOfUser: ["Code host", "Hub", "Workflows"],
      history: [
        { source: "retry", status: "success", parent: "the first" },
        { source: "test", status: "success", parent: null },
      ],
      afterDisable: { disabled: true, operationEnabled: false },
      updated: { version: "0.2.0", previous_version: "0.1.0", updated: true },
      violations: [],
    });
    expect(JSON.stringify(found)).toContain("login failed");
    expect(actions).toEqual([
      // The first start creates the admin and their token.
      ...["user.create", "token.create"],
      // The admin's token, created by the command line.
      "token.create",
      ...["plugin.install", "plugin.install", "plugin.install", "user.create"],
      ...["row.create", "row.create", "row.update", "row.update", "row.update"],
      ...["row.update", "row.update", "token.create"],
      ...["operation.disable", "row.disable", "plugin.update"],
    ]);
    for (const secret of [password, github.token]) expect(transcript).not.toContain(secret);
  },
);
