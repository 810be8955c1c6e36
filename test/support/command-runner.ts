import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { createCli } from "../../packages/cli/src/cli.ts";
import { reportFailure } from "../../packages/cli/src/errors/report-failure.ts";
import { runPart } from "../../packages/cli/src/process/program-parts.ts";
import type { Terminal } from "../../packages/cli/src/process/terminal.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import type { CommandOutput, CommandRequest } from "./command-process.ts";
import { programConnectors } from "./program-connectors.ts";

// The program starts itself so for its parts, such as for each program of others.
if (!(await runPart(process.argv))) {
  // Runs the command lines that the parent process sends, one after another, and returns the output of each.
  process.on("message", async (request: CommandRequest) => process.send?.(await run(request)));
  process.once("disconnect", () => process.exit());
  process.send?.("ready");
}

/** Does what `runHub` does, with other streams. */
async function run({ program, argv, env, cwd, stdin }: CommandRequest): Promise<CommandOutput> {
  replaceEnv(env);
  process.chdir(cwd);
  process.exitCode = 0;
  const [stdout, stderr] = [collect<NodeJS.WriteStream>(), collect<NodeJS.WriteStream>()];
  const terminal: Terminal = {
    argv,
    env,
    cwd,
    // The cast is safe: commands read a stream that is no terminal as any other stream.
    stdin: Readable.from(stdin === "" ? [] : [stdin]) as unknown as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  try {
    const added = (await programConnectors[program]?.()) ?? [];
    const cli = createCli({ terminal, connectors: added, name: "hub", version: null });
    await (await createProgram(cli)).parseAsync(argv, { from: "user" });
  } catch (thrown) {
    process.exitCode = reportFailure(terminal, thrown, argv.includes("--json"));
  }
  const exitCode = Number(process.exitCode);
  process.exitCode = 0;
  // The caller may remove the folder.
  process.chdir(tmpdir());
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Commands before this one had another environment. */
function replaceEnv(env: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

function collect<Stream>() {
  let text = "";
  const write = (part: string) => {
    text += part;
    return true;
  };
  // The cast is safe: commands that print to no terminal use only these members.
  return { stream: { write, writable: true } as Stream, text: () => text };
}
