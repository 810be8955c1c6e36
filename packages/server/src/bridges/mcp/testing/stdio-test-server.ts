/**
 * A server over stdio for tests. Its argument is a fault: `exit`, `exit-at-probe`, `silent`, `garbage`,
 * `long-line`, `stderr`, `flood`, or `none`.
 */
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Goals, reach } from "../../../plugins/testing/reach.ts";

const fault = process.argv[2] ?? "none";

const send = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

if (fault === "exit") process.exit(3);
if (fault === "garbage") process.stdout.write("Starting the server…\n{not JSON}\n\n[[[[\n");
if (fault === "stderr") {
  const line = `${"the server complains at length ".repeat(3)}\n`;
  // Written without a wait, as a program does that knows no backpressure.
  for (let count = 0; count < 20_000; count += 1) process.stderr.write(line);
}
if (fault === "flood") {
  const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  setInterval(() => {
    for (let count = 0; count < 200; count += 1) send(message);
  }, 1);
}

function callTool(name: string, goals: Goals): object {
  if (name === "reach") return text(JSON.stringify(reach(goals)));
  if (name === "environment") return text(JSON.stringify(process.env));
  if (name === "folder") return text(process.cwd());
  if (name === "descriptors") return text(readdirSync("/proc/self/fd").join(" "));
  if (name === "large") return text("x".repeat(1024 * 1024));
  if (name === "long-number") {
    return { content: [], structuredContent: { id: JSON.rawJSON("9007199254740993") } };
  }
  if (name === "pid") return text(String(process.pid));
  if (name === "crash") process.exit(7);
  if (name === "fork") {
    const child = Bun.spawn(["sleep", "1000"], { stdio: ["ignore", "inherit", "inherit"] });
    return text(String(child.pid));
  }
  if (name === "double-fork") {
    const start = ["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"];
    return text(Bun.spawnSync(start).stdout.toString().trim());
  }
  if (name === "long-line") process.stdout.write(`${"x".repeat(9 * 1024 * 1024)}\n`);
  return text(name);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (fault === "silent") continue;
  if (fault === "exit-at-probe" && method === "server/discover") process.exit(1);
  if (id === undefined) continue;
  if (method === "initialize") {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "test", version: "1" },
    };
    send({ jsonrpc: "2.0", id, result });
  } else if (method === "tools/list") {
    const tools = [{ name: "pid", inputSchema: { type: "object" } }];
    send({ jsonrpc: "2.0", id, result: { tools } });
  } else if (method === "tools/call") {
    if (params.name !== "never")
      send({ jsonrpc: "2.0", id, result: callTool(params.name, params.arguments) });
  } else {
    send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  }
}
// Whatever it has started or not yet written.
process.exit(0);
