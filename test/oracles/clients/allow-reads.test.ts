/** A released client with the one rule "allow hub_read" reads without a question, and nothing else runs without one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readAudit } from "../../support/audit.ts";
import { createDataFolder, type DataFolder } from "../../support/data-folder.ts";
import { postRpc, toToolCall } from "../../support/rpc.ts";
import { type RunningHub, startHub } from "../../support/start-hub.ts";
import { claudeCode, isClaudeCodeAvailable } from "./claude-code.ts";
import { startStubModel } from "./models/stub-model.ts";

setDefaultTimeout(240_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;
let home: DataFolder;

beforeAll(async () => {
  hub = owned.use(await startHub());
  home = owned.use(await createDataFolder());
  await writeFile(join(home.path, claudeCode.file), claudeCode.content);
  const args = ["--client", claudeCode.target, "--http", "--user", "admin@localhost"];
  const installed = await hub.cliAlone(["mcp", "install", ...args], { env: { HOME: home.path } });
  expect({ ...installed, exitCode: 0 }).toEqual(installed);
});
afterAll(() => owned.disposeAsync());

async function findToolId(operation: string): Promise<string> {
  const call = toToolCall("hub_list", {});
  const answer = Object(await (await postRpc(hub.url, hub.adminToken(), call)).json());
  const { tools } = JSON.parse(answer.result.content[0].text);
  return tools
    .map((tool: { tool_id: string }) => tool.tool_id)
    .find((id: string) => id.endsWith(operation));
}

test.skipIf(!isClaudeCodeAvailable)(
  "Claude Code runs 20 reads without a question, and hub_execute only with one",
  async () => {
    const [whoami, create] = [await findToolId("/whoami"), await findToolId("/workflow_create")];
    const read = { name: "mcp__hub__hub_read", input: { tool_id: whoami, params: {} } };
    const params = { name: "Not asked" };
    const write = { name: "mcp__hub__hub_execute", input: { tool_id: create, params } };
    const slipped = { name: "mcp__hub__hub_read", input: { tool_id: create, params } };
    const uses = [...Array.from({ length: 20 }, () => read), write, slipped];
    await using model = startStubModel(claudeCode.model, (results) =>
      results.length > 0 ? [] : uses,
    );
    const before = readAudit(hub.dataDir).length;
    const ended = await claudeCode.runAllowed(home.path, model.url, ["mcp__hub__hub_read"]);

    // In a run without a person, a question is a denial.
    expect(ended.permission_denials.map(({ tool_name }) => tool_name)).toEqual([write.name]);
    const calls = readAudit(hub.dataDir).slice(before);
    const counted = calls.map(({ operation_key, status }) => `${operation_key} ${status}`);
    expect(counted.filter((line) => line === "whoami success")).toHaveLength(20);
    expect(counted.filter((line) => line.startsWith("workflow_create"))).toEqual([
      "workflow_create denied",
    ]);
  },
);
