import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { craftPlugin, toMembers } from "./testing/craft-plugin.ts";
import { craftTar } from "./testing/craft-tar.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";

const canMount = process.platform === "linux" && process.getuid?.() === 0;
const skipReason = canMount ? "" : " (skipped: only root can mount a small disk, and on Linux)";

test.skipIf(!canMount)(
  `A full disk during an update is not reported as a fault of the archive, and the installed version stays${skipReason}`,
  async () => {
    const bench = await openPluginBench();
    await using owned = new AsyncDisposableStack();
    owned.defer(() => bench.close());
    const plugins = join(bench.dataDir, "plugins");
    await mkdir(plugins);
    mountSmallDisk(plugins);
    owned.defer(() => void Bun.spawnSync(["umount", plugins]));
    await bench.installCrafted(craftPlugin());
    const before = await bench.listFiles();

    const program = randomBytes(3_000_000).toString("hex");
    const large = craftPlugin({ program, manifest: { version: "2.0.0" } });
    const members = toMembers(large);
    const zip = craftZip(members);
    const tar = await craftTar(
      members.map(({ name, content }) => ({ header: { name }, content: String(content) })),
    );
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(zip),
    });
    for (const source of [
      await bench.writeSource("large.zip", zip),
      await bench.writeSource("large.tar.gz", tar),
      await bench.writeFolder(large),
      `${server.url.origin}/large.zip`,
      { name: "large.zip", chunks: new Blob([zip]).stream() },
    ]) {
      await expect(bench.host.install(source, { cwd: bench.sources })).rejects.toMatchObject({
        code: "internal",
        message: expect.stringContaining("The hub's disk is full"),
      });
      expect(await bench.listFiles()).toEqual(before);
      expect(await readdir(join(plugins, ".staging"))).toEqual([]);
    }
    expect((await bench.host.find("tracker")).plugin?.version).toBe("1.0.0");
  },
);

function mountSmallDisk(folder: string): void {
  const command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder];
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
