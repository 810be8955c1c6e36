/** Protects: no clone gets a large file for ever, as those of builds. */
import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(import.meta.dirname, "../.ci/refuse-large-files");

test("CI refuses a file over 1 MiB in new commits, also one that was deleted again, and no older one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-large-"));
  const run = (...command: string[]) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd: folder, env });
    return { text: `${stdout}${stderr}`, exitCode };
  };
  const commit = async (name: string, bytes: number) => {
    await writeFile(join(folder, name), Buffer.alloc(bytes, name));
    run("git", "add", "-A");
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    expect(run("git", ...author, "commit", "-q", "-m", name).exitCode).toBe(0);
  };
  try {
    run("git", "init", "-q", "-b", "main");
    await commit("old.bin", 2 ** 20 + 1);
    run("git", "checkout", "-q", "-b", "change");
    await commit("small.bin", 2 ** 20);
    expect(run(program)).toEqual({ text: "", exitCode: 0 });
    await commit("large file.bin", 2 ** 20 + 1);
    run("git", "rm", "-q", "large file.bin");
    await commit("after.txt", 10);
    const refused = run(program);
    expect(refused.exitCode).toBe(1);
    expect(refused.text).toContain("large");
    expect(refused.text).toContain("1048577 bytes");
    expect(refused.text).not.toContain("old.bin");
    expect(run(program, "HEAD~1").exitCode).toBe(0);
    // Without a branch to compare with, what there is.
    run("git", "branch", "-q", "-D", "main");
    expect(run(program).text).toContain("old.bin");
  } finally {
    await rm(folder, { recursive: true });
  }
});
