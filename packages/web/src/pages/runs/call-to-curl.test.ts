import { expect, test } from "bun:test";
import { toCurl } from "./call-to-curl.ts";

const run = { connector_id: "r1", operation_key: "get", request: { q: "it's $HOME `id`" } };

test("A recorded text cannot run commands in the shell into which it is pasted", () => {
  const command = toCurl(run, "http://localhost:7420/mcp").replace(/^curl/, "printf '%s\\n'");
  const { stdout } = Bun.spawnSync(["sh", "-c", command]);
  const sent = JSON.parse(stdout.toString().trim().split("\n").at(-1) ?? "");
  expect(sent.params).toEqual({
    name: "hub_execute",
    arguments: { tool_id: "conn:r1/get", params: run.request },
  });
});

test("A call names the tool that calls operations", () => {
  expect(toCurl(run, "http://h/mcp", "hub_read")).toContain('"name":"hub_read"');
});

test("A call of a meta-tool names the meta-tool", () => {
  const command = toCurl({ ...run, connector_id: null, operation_key: "hub_list" }, "http://h/mcp");
  expect(command).toContain('"name":"hub_list"');
});
