/**
 * Starts an MCP server and passes its messages on. Once a file is there, it changes the tools. Arguments: the
 * file, and the command of the server.
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { changeTools } from "./change-tools.ts";

const [file = "", ...command] = process.argv.slice(2);
const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });

async function passInput(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    child.stdin.write(`${line}\n`);
    await child.stdin.flush();
  }
  await child.stdin.end();
}

passInput();
const decoder = new TextDecoder();
let rest = "";
for await (const chunk of child.stdout) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    await Bun.write(Bun.stdout, `${existsSync(file) ? changeTools(line) : line}\n`);
  }
}
