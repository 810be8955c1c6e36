import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInputSchema } from "@hub/connector";
import type { RegisteredConnector } from "@hub/server/connectors/connector-port.ts";
import { isRunning, waitUntil } from "@hub/server/lib/testing/wait-until.ts";
import { type BuiltFixture, buildFixture } from "@hub/server/plugins/testing/build-fixture.ts";
import { findFailure } from "@hub/server/plugins/testing/find-failure.ts";
import { openTestProcesses, toInstalled } from "@hub/server/plugins/testing/open-test-processes.ts";
import { readResult } from "@hub/server/plugins/testing/read-call-result.ts";
import { runHubToKill } from "@hub/server/plugins/testing/run-hub-to-kill.ts";
import { createTestCall } from "@hub/server/plugins/testing/test-call.ts";
import { buildGoPlugin } from "./support/build-go-plugin.ts";

const built = buildGoPlugin();
if ("reason" in built) {
  console.warn(`Skipped: a plugin built with HashiCorp's go-plugin, because ${built.reason}.`);
} else {
  describe("A plugin in Go, with HashiCorp's go-plugin", () => describeGoPlugin(built));
}

function describeGoPlugin(gopher: BuiltFixture): void {
  let processes: ReturnType<typeof openTestProcesses>;
  let connector: RegisteredConnector;
  const config = { base_url: "https://x.test", token: "secret-token" };
  const invoke = (operation: string, params = {}, signal?: AbortSignal) =>
    connector.invoke(createTestCall({ operation, params, config, ...(signal && { signal }) }).call);

  beforeAll(() => {
    processes = openTestProcesses({ fenceMode: "auto" });
    connector = processes.toConnector(toInstalled(gopher, "gopher", "1.0.0", 1));
  });
  afterAll(async () => {
    await processes.close();
    gopher.remove();
  });

  test("The manifest of a Go plugin describes its inputs", () => {
    expect(connector).toMatchObject({ key: "gopher", name: "Gopher", tier: "plugin" });
    expect(connector.health).toBeUndefined();
    expect(connector.operations.get("fail")?.destructive).toBe(true);
    expect(toInputSchema(connector.operations.get("echo")?.inputFields ?? [])).toMatchObject({
      properties: {
        text: { type: "string" },
        count: { type: "number" },
        flag: { type: "boolean" },
        rows: { type: "array" },
      },
      required: ["text"],
    });
  });

  test("A version-1 plugin gets every value as text", async () => {
    const params = { text: "hi", count: 3, flag: true, rows: [{ name: "a", value: "b" }] };
    expect(await invoke("echo", params)).toEqual({
      args: { text: "hi", count: "3", flag: "true", rows: '[{"name":"a","value":"b"}]' },
      creds: config,
    });
  });

  test("A Go plugin sends a large result in chunks and accepts a large request", async () => {
    expect(String(readResult(await invoke("large"))).length).toBe(3_000_000);
    const text = "y".repeat(4_000_000);
    expect(readResult(await invoke("echo", { text }))).toMatchObject({ args: { text } });
  });

  test("The message of a Go plugin's failure is returned", async () => {
    expect(await findFailure(invoke("fail"))).toMatchObject({
      name: "Error",
      message: "there is no such issue",
    });
  });

  test("Log lines and output of a Go plugin are received", async () => {
    await invoke("print", { text: "hello" });
    const line = await processes.waitForLine(({ message }) => message === "err of go");
    expect(line).toMatchObject({
      level: "warn",
      plugin: "gopher",
      details: { text: "hello", token: "[secret]" },
    });
    await processes.waitForLine(({ message }) => message === "out of go hello");
  });

  test("The connector is notified when its call is cancelled", async () => {
    const abort = new AbortController();
    const failure = findFailure(invoke("hang", {}, abort.signal));
    await processes.waitForLine(({ message }) => message === "hanging");
    abort.abort(new Error("gone"));
    expect(await failure).toMatchObject({ message: "gone" });
    await processes.waitForLine(({ message }) => message === "cancelled");
  });

  test("A Go plugin that panics fails its call with plugin_unavailable and is started again", async () => {
    expect(await findFailure(invoke("panic"))).toMatchObject({ code: "plugin_unavailable" });
    expect(await invoke("echo", { text: "again" })).toMatchObject({ args: { text: "again" } });
  });

  test("A Go plugin gets none of the hub's environment variables", async () => {
    const { env } = (await invoke("look_around")) as { env: string[] };
    const names = env.map((line) => line.split("=")[0] ?? "");
    expect(names.filter((name) => name.startsWith("HUB_"))).toEqual([]);
    expect(names).toContain("WICK_CONNECTOR_PLUGIN");
  });

  test("A Go plugin ends with the hub, also when the hub is killed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "hubt-"));
    try {
      const { hub, pids } = await runHubToKill(gopher, "gopher", dir);
      hub.kill("SIGKILL");
      await waitUntil(() => !pids.some(isRunning));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  describe("A Go host", () => {
    let fixture: BuiltFixture;
    beforeAll(() => {
      fixture = buildFixture();
    });
    afterAll(() => fixture.remove());

    function runHost(operation: string, args: Record<string, string>) {
      const { exitCode, stdout, stderr } = Bun.spawnSync([
        gopher.binaryPath,
        "host",
        fixture.binaryPath,
        operation,
        JSON.stringify(args),
        "{}",
      ]);
      return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
    }

    test("A Go host runs our plugin, which gets its values as text", () => {
      const { stdout, exitCode } = runHost("echo", { text: "hi", count: "12345678901234567890" });
      expect(exitCode).toBe(0);
      expect(stdout).toContain('"Count":12345678901234567890');
      expect(stdout).toContain('"types":{"Text":"string","Count":"bigint"}');
    });

    test("A Go host gets a complete large result", () => {
      const { stdout } = runHost("large", { chars: "3000000" });
      expect(JSON.parse(stdout).result).toHaveLength(3_000_000);
    });

    test("A Go host calls widget operations with `browser` and the named elements", () => {
      const { stdout } = runHost("collect", { browser: "7", town: "Graz", sure: "on" });
      expect(JSON.parse(stdout).result).toEqual({ input: { town: "Graz", sure: "on" }, has: true });
    });

    test("A Go host does not offer maintenance operations to models", () => {
      const { schema } = JSON.parse(runHost("widget", { browser: "" }).stdout);
      const operations: { Key: string; ConfigOnly: boolean }[] = schema.Operations[0].Ops;
      const hidden = operations.filter(({ ConfigOnly }) => ConfigOnly).map(({ Key }) => Key);
      expect(hidden).toEqual(["widget", "collect", "sweep"]);
    });

    test("A Go host gets our plugin's failures and the issues of params", () => {
      expect(runHost("fail", { how: "plain" }).stderr).toContain("There is no such issue");
      expect(runHost("echo", { txt: "hi" }).stderr).toMatch(/bad_args.*txt is not known here/);
    });
  });
}
