import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { mirrorProgram, startProjectProgram } from "./start-project-program.ts";

const module = JSON.stringify(join(import.meta.dirname, "start-project-program.ts"));
const started: Array<{ kill(signal: NodeJS.Signals): void }> = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Starts a script through a function of the module, with pipes as standard streams. */
function startThrough(name: string, script: string) {
  const program = JSON.stringify({ command: process.execPath, args: ["-e", script] });
  const source = `import { ${name} } from ${module};
    process.exitCode = await ${name}({ ...${program}, env: { ...process.env, GONE: undefined } });`;
  const child = Bun.spawn([process.execPath, "-e", source], {
    env: { ...process.env, GONE: "1" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  started.push(child);
  return child;
}

/** Reads the first chunk of the output, which shows that the program runs. */
async function readFirst(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk);
  return "";
}

describe.each([startProjectProgram.name, mirrorProgram.name])("%s", (name) => {
  test("The program gets the standard streams and the environment", async () => {
    const child = startThrough(
      name,
      "console.log(await Bun.stdin.text(), String(process.env.GONE), import.meta.dirname);",
    );
    child.stdin.write("typed");
    child.stdin.end();
    expect(await child.stdout.text()).toStartWith("typed undefined");
    expect(await child.exited).toBe(0);
  });

  test("The exit code is that of the program", async () => {
    expect(await startThrough(name, "process.exit(7)").exited).toBe(7);
  });

  test("The program gets the signals and decides how it ends", async () => {
    const child = startThrough(
      name,
      'process.on("SIGTERM", () => process.exit(9)); process.stdin.resume(); console.log("ready");',
    );
    expect(await readFirst(child.stdout)).toBe("ready\n");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(9);
  });

  test("A signal that ends the program is the one that is reported", async () => {
    const child = startThrough(
      name,
      'process.kill(process.pid, "SIGTERM"); process.stdin.resume();',
    );
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
  });
});
