/** Protects: a program of a killed hub does not outlive the next start, also if it has left its group and parent. */
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcessSpace } from "@hub/server/lib/process/process-identity.ts";
import { runtimePrefix } from "@hub/server/lib/text/hide-paths.ts";
import { ownerFile } from "@hub/server/plugins/process/runtime-folder.ts";
import { findDoubleFork, startDoubleFork } from "@hub/server/plugins/testing/double-fork.ts";
import { startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

test.skipIf(process.platform !== "linux")(
  "A server ends at its start what programs of a killed hub have left, before it starts a program",
  async () => {
    const tmp = await mkdtemp(join(tmpdir(), "hub-s-"));
    await using owned = new AsyncDisposableStack();
    owned.defer(() => rm(tmp, { recursive: true, force: true }));
    const mark = `${crypto.randomUUID()}.`;
    const pid = await startDoubleFork(`${mark}1.`);
    owned.defer(() => {
      if (findDoubleFork(pid)) process.kill(pid, "SIGKILL");
    });
    const folder = join(tmp, `${runtimePrefix}killed`);
    await mkdir(folder, { mode: 0o700 });
    // A hub whose process id belongs to another program now.
    const owner = { pid: process.pid, startedAt: "1", program: "/bin/hub" };
    await writeFile(
      join(folder, ownerFile),
      JSON.stringify({ ...owner, space: readProcessSpace(), mark }),
      { mode: 0o600 },
    );
    await using _hub = await startHub({ env: { TMPDIR: tmp } });
    await waitFor(async () => !findDoubleFork(pid));
    expect(findDoubleFork(pid)).toBe(false);
  },
);
