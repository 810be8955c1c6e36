/**
 * The official conformance suite, session era: the scenarios that any server must pass. The others
 * call fixture tools, prompts or resources by name, which the hub does not have.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Glob } from "bun";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { startHub } from "../support/start-hub.ts";
import { type HeaderProxy, startHeaderProxy } from "./support/add-header-proxy.ts";
import { runNode } from "./support/run-node.ts";

setDefaultTimeout(120_000);

const owned = new AsyncDisposableStack();
let home: DataFolder;
let proxy: HeaderProxy;

beforeAll(async () => {
  home = owned.use(await createDataFolder());
  const hub = owned.use(await startHub());
  proxy = owned.use(startHeaderProxy(hub.url, hub.adminToken()));
});

afterAll(() => owned.disposeAsync());

test.each([
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
])("the conformance scenario %s passes", async (scenario) => {
  const results = `${home.path}/${scenario}`;
  const run = await runNode(
    "@modelcontextprotocol/conformance/dist/index.js",
    ["server", "--url", `${proxy.url}/mcp`, "--scenario", scenario, "--output-dir", results],
    home.path,
  );
  expect(run).toMatchObject({ exitCode: 0 });
  const statuses = (await readChecks(results)).map((check) => check.status);
  expect(statuses).toContain("SUCCESS");
  expect(statuses).not.toContain("FAILURE");
});

type Check = { id: string; status: string };

async function readChecks(folder: string): Promise<Check[]> {
  const files = await Array.fromAsync(
    new Glob("**/checks.json").scan({ cwd: folder, absolute: true }),
  );
  const checks = await Promise.all(files.map((file) => Bun.file(file).json()));
  return checks.flat();
}
