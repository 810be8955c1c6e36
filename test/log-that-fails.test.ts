import { afterAll, expect, test } from "bun:test";
import { openSync, writeSync } from "node:fs";
import { collectText } from "./support/collect-text.ts";
import { toProgramCommand } from "./support/compile-programs.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { endWithRunner } from "./support/end-with-runner.ts";
import { findFreePort } from "./support/free-port.ts";
import { hubMain, toHubEnv } from "./support/run-cli.ts";
import { openSocketPair } from "./support/socket-pair.ts";
import { waitFor } from "./support/wait-for.ts";

const folders = new AsyncDisposableStack();
afterAll(() => folders.disposeAsync());

/** Every write to it fails, as to a file on a full disk. */
const fullDevice = "/dev/full";
const isLinux = process.platform === "linux";

type Output = { stdout: number; stderr: number };

/** Starts a hub that says nothing of itself, since its output cannot be read. */
async function startUnread(output: Output) {
  const dataDir = folders.use(await createDataFolder()).path;
  const port = await findFreePort();
  const child = Bun.spawn([...toProgramCommand(hubMain, {}), "serve"], {
    env: toHubEnv({ dataDir, env: { HUB_PORT: String(port) } }),
    stdin: "ignore",
    ...output,
  });
  endWithRunner(child);
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
  return { child, url };
}

/** The first refusal writes a line to the log. */
async function expectAnswers(url: string): Promise<void> {
  for (let request = 0; request < 3; request += 1) {
    const refused = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { host: "other.example" },
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "forbidden" });
  }
  expect((await fetch(`${url}/ready`)).status).toBe(200);
}

test.skipIf(!isLinux)(
  "A hub whose output and log cannot be written answers, and ends when it is asked to",
  async () => {
    const openFull = () => openSync(fullDevice, "w");
    const { child, url } = await startUnread({ stdout: openFull(), stderr: openFull() });
    await expectAnswers(url);
    child.kill("SIGTERM");
    // The output of a command was lost.
    expect(await child.exited).toBe(1);
  },
);

test.skipIf(!isLinux)(
  "A hub whose log is a socket that is not read answers, and its lines come when it is read",
  async () => {
    const [own, reader] = openSocketPair();
    const { child, url } = await startUnread({ stdout: openSync("/dev/null", "w"), stderr: own });
    expect(() => {
      for (;;) writeSync(own, Buffer.alloc(4096));
    }).toThrow("EAGAIN");
    await expectAnswers(url);

    const cat = Bun.spawn(["cat"], { stdin: reader, stdout: "pipe" });
    folders.defer(() => cat.kill());
    const log = collectText(cat.stdout);
    await waitFor(() => log.text().includes("Refused requests"));
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  },
);
