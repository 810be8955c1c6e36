/**
 * Calls the tools of a hostile MCP server through a hub, and lists its tools. Prints for each attack how long the event
 * loop's thread worked in one go, all processor time and the memory:
 * `bun scripts/attacks/hostile-mcp-server.ts [--only TEXT] [--hub CHECKOUT]`. The exit code is 1 if the event loop was held for more than
 * 100 ms in one go. Linux only, about two minutes.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openBridgeAdmin } from "../../test/support/bridges/bridge-admin.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { costHeader, describeCost, startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const inOneGoMsMax = 100;
const attackMsMax = 60_000;

const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub, measure } = watched;
const admin = await openBridgeAdmin(hub);
const server = Bun.spawn([process.execPath, join(import.meta.dirname, "support/hostile-mcp.ts")], {
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
});
const output = server.stdout.getReader();
const port = new TextDecoder().decode((await output.read()).value).trim();
const url = `http://127.0.0.1:${port}`;
let failures = 0;

async function attack(name: string, run: () => Promise<string>): Promise<void> {
  if (!name.includes(flags.only)) return;
  let answer = "";
  const cost = await measure(async () => {
    answer = await Promise.race([
      run().catch((thrown: Error) => thrown.message),
      Bun.sleep(attackMsMax).then(() => "not answered in 60 s"),
    ]);
  });
  const isOver = cost.inOneGoMs > inOneGoMsMax;
  if (isOver) failures += 1;
  console.log(
    `${(isOver ? `OVER ${name}` : name).padEnd(34)}${describeCost(cost)}  ${answer.slice(0, 90)}`,
  );
}

async function call(row: string, operation: string): Promise<string> {
  const frame = toToolCall("hub_execute", { tool_id: `conn:${row}/${operation}`, params: {} });
  const withToken = { ...frame, params: { ...frame.params, _meta: { progressToken: 1 } } };
  const response = await postRpc(hub.url, hub.adminToken(), withToken, {});
  const text = await response.text();
  return `${text.length} characters, ${text.split("\n\n").length} events: ${text.slice(-300).replace(/\s+/g, " ")}`;
}

const removeRow = (id: string) => admin.send("DELETE", `/manager/api/rows/${id}`);

const addRow = (label: string, path: string) =>
  admin.addRow({ connector: "mcp", label }, { url: `${url}${path}` });

console.log(`${"attack".padEnd(34)}${costHeader}  answer`);
const row = await addRow("Hostile", "/");
await admin.discover(row);
const { reviewed } = await admin.review(row);
await admin.approve(row);
await attack("idle", () => Bun.sleep(500).then(() => ""));
for (const { key } of reviewed) await attack(`call ${key}`, () => call(row, key));
for (const { key } of reviewed.filter(({ key }) => ["progress", "pings", "images"].includes(key))) {
  await attack(
    `10 calls ${key}`,
    async () => (await Promise.all(Array.from({ length: 10 }, () => call(row, key))))[0] ?? "",
  );
}
for (const unasked of [
  "list_changed",
  "pings",
  "logs",
  "data_lines",
  "nested_data_lines",
  "retry",
]) {
  await attack(`unasked ${unasked}`, async () => {
    const other = await addRow(`Unasked ${unasked}`, `/?unasked=${unasked}`);
    await admin.discover(other);
    await Bun.sleep(3_000);
    await removeRow(other);
    return "";
  });
}
for (const path of ["many", "6000", "wide", "large", "pages", "bad", "cursors", "names"]) {
  await attack(`list ${path}`, async () => {
    const other = await addRow(`List ${path}`, `/${path}`);
    const report = JSON.stringify(await admin.discover(other));
    await removeRow(other);
    return report;
  });
}
for (const path of ["many", "large", "wide"]) {
  const rows = `30 lists ${path}`.includes(flags.only)
    ? await Promise.all(
        Array.from({ length: 30 }, (_, at) => addRow(`Lists ${path} ${at}`, `/${path}`)),
      )
    : [];
  await attack(`30 lists ${path}`, async () => {
    const ends = await Promise.allSettled(rows.map((id) => admin.discover(id)));
    return `${ends.filter(({ status }) => status === "fulfilled").length} discovered`;
  });
  await Promise.all(rows.map(removeRow));
}
server.stdin.end();
await server.exited;
process.exitCode = failures === 0 ? 0 : 1;
