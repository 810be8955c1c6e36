import { expect, test } from "bun:test";
import { join } from "node:path";

/** Runs a program that claims standard output, and returns what it printed to each stream. */
async function run(body: string) {
  const source = `
    const { claimStdout } = await import(${JSON.stringify(join(import.meta.dirname, "claim-stdout.ts"))});
    const { output, release } = claimStdout();
    const writer = output.getWriter();
    const write = (text) => writer.write(new TextEncoder().encode(text));
    ${body}`;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return { stdout, stderr };
}

test("Standard output has only what is written to the claimed stream", async () => {
  const { stdout, stderr } = await run(`
    console.log("log"); console.info("info"); console.debug("debug"); console.table([1]);
    console.dir({ dir: 1 }); console.group("group");
    process.stdout.write("raw\\n");
    await write("frame\\n");
  `);
  expect(stdout).toBe("frame\n");
  for (const printed of ["log", "info", "debug", "dir", "group", "raw"]) {
    expect(stderr).toContain(printed);
  }
});

test("The claimed stream writes more than a pipe holds, complete and in order", async () => {
  const { stdout } = await run(`
    for (let count = 0; count < 5; count += 1) await write(String(count).repeat(1024 * 1024));
  `);
  expect(stdout).toBe([0, 1, 2, 3, 4].map((digit) => String(digit).repeat(1024 * 1024)).join(""));
});

test("Releasing the claim restores standard output", async () => {
  const { stdout } = await run(`
    await write("frame\\n");
    release();
    console.log("later");
  `);
  expect(stdout).toBe("frame\nlater\n");
});
