import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectPlugin, createSelfSigned, parseHandshakeLine } from "./index.ts";

const program = [process.execPath, join(import.meta.dirname, "serve-plugin.fixture.ts")];
const cookie = { WICK_CONNECTOR_PLUGIN: "b3f1c2a4-wick-connector-grpc" };

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hubt-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a plugin's program", () => {
  test("A plugin that is started by hand prints a notice and exits with 1", () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(program, { env: {} });
    expect(exitCode).toBe(1);
    expect(stdout.toString()).toBe("");
    expect(stderr.toString()).toContain("This program is a plugin");
  });

  test("A plugin prints the module of its manifest", () => {
    const { exitCode, stdout } = Bun.spawnSync([...program, "--dump-manifest"], { env: {} });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      Meta: { Key: "small" },
      Operations: [{ Ops: [{ Key: "hello" }] }],
    });
  });

  async function start(env: Record<string, string>) {
    const child = Bun.spawn(program, {
      env: { ...cookie, PLUGIN_UNIX_SOCKET_DIR: dir, ...env },
      stdin: "pipe",
      stdout: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    const handshake = parseHandshakeLine(new TextDecoder().decode(value));
    if (handshake === null) throw new Error("No handshake");
    return { child, handshake };
  }

  test("A plugin serves, reports its health, and exits on a shutdown request", async () => {
    const identity = createSelfSigned();
    const { child, handshake } = await start({
      PLUGIN_CLIENT_CERT: identity.certPem,
      PLUGIN_PROTOCOL_VERSIONS: "1,2",
    });
    expect(handshake).toMatchObject({ core: 1, app: 2, network: "unix", protocol: "grpc" });
    const connection = await connectPlugin(handshake, identity);
    await connection.ping(5000);
    expect(await connection.schema()).toMatchObject({ Meta: { Key: "small" } });
    await connection.shutdown(5000);
    expect(await child.exited).toBe(0);
    connection.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  test("A plugin refuses clients with another certificate than its host's", async () => {
    const { child, handshake } = await start({
      PLUGIN_CLIENT_CERT: createSelfSigned().certPem,
    });
    const failure = await connectPlugin(handshake, createSelfSigned()).then(
      async (connection) => {
        // In TLS 1.3, the handshake ends for the client before the server has checked its
        // certificate.
        const error = await connection.ping(5000).catch((thrown) => thrown);
        connection.close();
        return error;
      },
      (thrown) => thrown,
    );
    expect(failure).toBeInstanceOf(Error);
    child.kill();
    await child.exited;
  });

  test("A plugin exits when its standard input ends, if the host has announced this", async () => {
    const { child } = await start({ PLUGIN_ENDS_WITH_STDIN: "1" });
    child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(readdirSync(dir)).toEqual([]);
  });

  test("A plugin of another host keeps running after its standard input ends", async () => {
    const { child, handshake } = await start({});
    child.stdin.end();
    const connection = await connectPlugin(handshake, createSelfSigned());
    await connection.ping(5000);
    connection.close();
    child.kill();
    await child.exited;
  });
});
