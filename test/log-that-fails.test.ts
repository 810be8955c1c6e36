import { afterAll, expect, test } from "bun:test";
import { openSync } from "node:fs";
import { toProgramCommand } from "./support/compile-programs.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { findFreePort } from "./support/free-port.ts";
import { hubMain, toHubEnv } from "./support/run-cli.ts";

const folders = new AsyncDisposableStack();
afterAll(() => folders.disposeAsync());

/** Every write to it fails, as to a file on a full disk. */
const fullDevice = "/dev/full";
const isLinux = process.platform === "linux";

test.skipIf(!isLinux)(
  "A hub whose output and log cannot be written answers, and ends when it is asked to",
  async () => {
    const dataDir = folders.use(await createDataFolder()).path;
    const port = await findFreePort();
    const child = Bun.spawn([...toProgramCommand(hubMain, {}), "serve"], {
      env: toHubEnv({ dataDir, env: { HUB_PORT: String(port) } }),
      stdin: "ignore",
      stdout: openSync(fullDevice, "w"),
      stderr: openSync(fullDevice, "w"),
    });
    folders.defer(() => child.kill("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isUp())) {
      if (child.exitCode !== null) throw new Error(`The hub ended with ${child.exitCode}.`);
      await Bun.sleep(20);
    }

    // Each refusal writes a line to the log.
    for (let request = 0; request < 3; request += 1) {
      const refused = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: { host: "other.example" },
      });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ code: "forbidden" });
    }
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    child.kill("SIGTERM");
    // The output of a command was lost.
    expect(await child.exited).toBe(1);
  },
);
