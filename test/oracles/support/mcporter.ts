import type { ClientOptions, CommandLineClient } from "./command-line-client.ts";
import { runNode } from "./run-node.ts";

const script = "mcporter/dist/cli.js";

export function createMcporter({ url, token, home }: ClientOptions): CommandLineClient {
  const server = ["--http-url", url, "--allow-http", "--name", "hub", "--no-oauth"];
  const header = ["--header", `Authorization=Bearer ${token}`];

  return {
    async listTools() {
      const result = await runNode(script, ["list", ...server, ...header, "--json"], home);
      if (result.exitCode !== 0) throw new Error(result.stdout + result.stderr);
      return JSON.parse(result.stdout).tools.map((tool: { name: string }) => tool.name);
    },
    async call(tool, args) {
      const flags = ["--tool", tool, "--args", JSON.stringify(args), "--output", "json"];
      const result = await runNode(script, ["call", ...server, ...header, ...flags], home);
      const value = JSON.parse(result.stdout);
      // The output has the same form for a connection error and a tool's answer.
      if (value?.issue !== undefined) throw new Error(result.stdout);
      return { isError: result.exitCode !== 0, value };
    },
  };
}
