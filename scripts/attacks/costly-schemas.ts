/**
 * Calls tools whose input schemas are expensive to check, with params of up to 4 MB. Prints for each call how long the
 * event loop's thread worked in one go, all processor time and the memory:
 * `bun scripts/attacks/costly-schemas.ts [--only TEXT] [--hub CHECKOUT]`. The exit code is 1 if a call exceeds the
 * law of `request-cost/law.ts`. Linux only, about a minute.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openBridgeAdmin } from "../../test/support/bridges/bridge-admin.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const admin = await openBridgeAdmin(hub);
const server = Bun.spawn(
  [process.execPath, join(import.meta.dirname, "support/schema-server.ts")],
  {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  },
);
const port = new TextDecoder().decode((await server.stdout.getReader().read()).value).trim();
const row = await admin.addRow(
  { connector: "mcp", label: "Schemas" },
  { url: `http://127.0.0.1:${port}` },
);
await admin.discover(row);
await admin.approve(row);

const text = "a".repeat(3_900_000);
const members = Object.fromEntries(Array.from({ length: 45_000 }, (_, at) => [`k${at}`, 1]));
const values: { [tool: string]: unknown } = {
  consts: text,
  enums: Array(20_000).fill("y"),
  lengths: text,
  formats: text,
  members,
  unique: Array.from({ length: 45_000 }, (_, at) => at),
  dependent: Array(10_000).fill({ a: 1 }),
  patterns: members,
  references: Array(40_000).fill(1),
};

const judge = createJudge(watched, flags.only);
for (const [tool, value] of Object.entries(values)) {
  const body = JSON.stringify(
    toToolCall("hub_execute", { tool_id: `conn:${row}/${tool}`, params: { value } }),
  );
  await judge.attack(tool, { bytes: body.length }, async () => {
    const answer = await postRpc(hub.url, hub.adminToken(), body);
    return (await answer.text()).slice(0, 200);
  });
}
server.stdin.end();
await server.exited;
judge.end();
