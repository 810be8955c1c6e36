import { Readable } from "node:stream";
import type { ConnectorDefinition } from "@hub/connector";
import { createCli } from "../../packages/cli/src/cli.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { reportFailure } from "../../packages/cli/src/report-failure.ts";
import { openTerminal, type Terminal } from "../../packages/cli/src/terminal.ts";
import type { CommandOutput, CommandRequest } from "./command-process.ts";

/** Runs the command lines that the parent process sends, one after another, and returns the output of each. */
export async function serveCommands(connectors: readonly ConnectorDefinition[]): Promise<void> {
  const own = openTerminal([]);
  let last: Promise<unknown> = Promise.resolve();
  process.on("message", (request: CommandRequest) => {
    last = last.then(async () => process.send?.(await run(own, connectors, request)));
  });
  const ended = new Promise<void>((resolve) => process.once("disconnect", () => resolve()));
  process.send?.("ready");
  await ended;
  process.exit();
}

/** Does what `runHub` does, with other streams. */
async function run(
  own: Terminal,
  connectors: readonly ConnectorDefinition[],
  { argv, env, cwd }: CommandRequest,
): Promise<CommandOutput> {
  process.chdir(cwd ?? own.cwd);
  process.exitCode = 0;
  const [stdout, stderr] = [collect<NodeJS.WriteStream>(), collect<NodeJS.WriteStream>()];
  const terminal: Terminal = {
    argv,
    env: { ...own.env, ...env },
    cwd: process.cwd(),
    // The cast is safe: commands read a stream that is no terminal as any other stream.
    stdin: Readable.from([]) as unknown as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const cli = createCli({ terminal, connectors, name: "hub", version: null });
  try {
    await (await createProgram(cli)).parseAsync(argv, { from: "user" });
  } catch (thrown) {
    process.exitCode = reportFailure(terminal, thrown, argv.includes("--json"));
  }
  const exitCode = Number(process.exitCode);
  process.exitCode = 0;
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
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
