import { join } from "node:path";
import type { BuiltFixture } from "./build-fixture.ts";
import { readLines } from "./read-program-lines.ts";

/** Starts a separate hub that runs the plugin; resolves with both processes. */
export async function runHubToKill(fixture: BuiltFixture, key: string, systemTmp: string) {
  const { binaryPath, manifest } = fixture;
  const hub = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dirname, "hub-to-kill.ts"),
      binaryPath,
      key,
      JSON.stringify(manifest),
      systemTmp,
    ],
    // Files that it leaves are deleted with the test's folder.
    { stdout: "pipe", stderr: "inherit", env: { ...process.env, TMPDIR: systemTmp } },
  );
  const pids = await new Promise<number[]>((resolve, reject) => {
    readLines(hub.stdout, (line) => resolve(JSON.parse(line))).then(() =>
      reject(new Error("The hub ended early")),
    );
  });
  return { hub, pids };
}
