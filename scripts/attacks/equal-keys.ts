/**
 * Answers of an outside system, and bodies of a call, whose keys are thousands of encodings of the row's secret: the mask
 * makes all of them equal. Prints what each call costs: `bun scripts/attacks/equal-keys.ts [--only TEXT] [--hub CHECKOUT]`. The exit code is 1 if a call exceeds
 * the law of `request-cost/law.ts`. Linux only, about a minute.
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
const secret = "kd8Wz3xQp7Lm2vTb";

/** The secret with some of its characters percent-encoded, in the way of the bits of a number. */
function encode(bits: number): string {
  return [...secret]
    .map((char, at) => ((bits >> at) & 1 ? `%${char.charCodeAt(0).toString(16)}` : char))
    .join("");
}

const toKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [encode(at + 1), 1]));

using server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => Response.json(toKeys(Number(new URL(request.url).searchParams.get("keys")))),
});
await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const admin = await openBridgeAdmin(hub);
const row = await admin.addRow(
  { connector: "http", label: "Keys" },
  { base_url: `http://127.0.0.1:${server.port}`, auth_mode: "bearer", token: secret },
);
const judge = createJudge(watched, flags.only);
async function execute(operation: string, params: object): Promise<string> {
  const frame = toToolCall("hub_execute", { tool_id: `conn:${row}/${operation}`, params });
  return await (await postRpc(hub.url, hub.adminToken(), frame)).text();
}

for (const keys of [1_000, 5_000, 60_000]) {
  const bytes = JSON.stringify(toKeys(keys)).length;
  await judge.attack(`an answer of ${keys} keys`, { bytes }, () =>
    execute("get", { path: `/?keys=${keys}` }),
  );
}
for (const keys of [1_000, 40_000]) {
  const body = toKeys(keys);
  await judge.attack(`a body of ${keys} keys`, { bytes: JSON.stringify(body).length }, () =>
    execute("post", { path: "/?keys=1", body }),
  );
}
judge.end();
