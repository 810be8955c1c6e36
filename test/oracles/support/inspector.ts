import type { ClientOptions, CommandLineClient } from "./command-line-client.ts";
import { runNode } from "./run-node.ts";

const script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
/** The exit code for an answer with `isError`. */
const toolErrorExit = 5;

export function createInspector({ url, token, home }: ClientOptions): CommandLineClient {
  async function run(args: string[]) {
    const flags = ["--transport", "http", "--format", "json", "--quiet", "--stored-auth-only"];
    const header = ["--header", `Authorization: Bearer ${token}`];
    const result = await runNode(script, ["--cli", url, ...flags, ...header, ...args], home);
    if (result.exitCode !== 0 && result.exitCode !== toolErrorExit) throw new Error(result.stderr);
    return JSON.parse(result.stdout).result;
  }

  return {
    async listTools() {
      const { tools } = await run(["--method", "tools/list"]);
      return tools.map((tool: { name: string }) => tool.name);
    },
    async call(tool, args) {
      const json = JSON.stringify(args);
      const flags = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json];
      const { content, isError = false } = await run(flags);
      return { isError, value: JSON.parse(content[0].text) };
    },
  };
}
