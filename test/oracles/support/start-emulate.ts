import { join } from "node:path";
import { collectText } from "../../support/collect-text.ts";
import { findFreePort } from "../../support/free-port.ts";
import { spawnNode } from "./run-node.ts";

/** Starts one service of `emulate` with this content. Its files are in `home`. */
export async function startEmulate(
  home: string,
  service: "github" | "slack",
  content: object,
): Promise<AsyncDisposable & { url: string }> {
  const seed = join(home, `emulate-${service}.json`);
  await Bun.write(seed, JSON.stringify(content));
  // The emulator prints the requested port, so port 0 cannot be used.
  const port = String(await findFreePort());
  const args = ["start", "--service", service, "--port", port, "--seed", seed];
  const child = spawnNode("emulate/dist/index.js", args, home);
  const output = collectText(child.stdout);
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  try {
    await output.waitForMatch(/Ready/);
  } catch (cause) {
    await stop();
    throw new Error(`The emulator did not start: ${await child.stderr.text()}`, { cause });
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}
