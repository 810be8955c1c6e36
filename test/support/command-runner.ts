/** Runs the command lines that standard input lists in order, and prints the output of each. */
import { createCli } from "../../packages/cli/src/cli.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { openTerminal } from "../../packages/cli/src/terminal.ts";

const commands: string[][] = await Bun.stdin.json();
const outputs: string[] = [];
for (const argv of commands) {
  const terminal = openTerminal(argv);
  let output = "";
  // Commands that print once use only `write` of the stream.
  const stdout = { write: (text: string) => (output += text) } as unknown as NodeJS.WriteStream;
  const cli = createCli({
    terminal: { ...terminal, stdout },
    connectors: [],
    name: "hub",
    version: null,
  });
  await (await createProgram(cli)).parseAsync(argv, { from: "user" });
  outputs.push(output);
}
process.stdout.write(JSON.stringify(outputs));
