import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** A program on Node, in a folder of its own. */
export type NodeProgram = AsyncDisposable & { pid: number };

export type EnginesFolder = { node: string; nodeRed: string | null; n8n: string | null };

/** The engines that `HUB_BENCH_ENGINES` has, or null. bench/README.md says how to install them. */
export function findEngines(folder = process.env.HUB_BENCH_ENGINES): EnginesFolder | null {
  if (folder === undefined || folder === "") return null;
  const node = join(folder, "node24/node_modules/node/bin/node");
  if (!existsSync(node)) throw new Error(`HUB_BENCH_ENGINES has no Node at ${node}.`);
  const find = (path: string) => (existsSync(join(folder, path)) ? join(folder, path) : null);
  return {
    node,
    nodeRed: find("nodered/node_modules/node-red"),
    n8n: find("n8n/node_modules/n8n"),
  };
}

type Command = {
  node: string;
  args: readonly string[];
  folder: string;
  env: Record<string, string>;
};

function spawn({ node, args, folder, env }: Command) {
  const path = `${join(node, "..")}:${process.env.PATH ?? ""}`;
  return Bun.spawn([node, ...args], {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...env },
    stdin: "ignore",
    stdout: Bun.file(join(folder, "output.log")),
    stderr: Bun.file(join(folder, "errors.log")),
  });
}

/** Runs a command to its end. */
export async function runNode(command: Command): Promise<void> {
  if ((await spawn(command).exited) === 0) return;
  const complaint = await Bun.file(join(command.folder, "errors.log")).text();
  throw new Error(`${command.args.join(" ")}: ${complaint.slice(-1000)}`);
}

export function startNode(command: Command): NodeProgram {
  const child = spawn(command);
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, 20_000);
      await child.exited;
      clearTimeout(timer);
      process.off("exit", kill);
    },
  };
}

export async function readVersion(packageFolder: string): Promise<string> {
  return (await Bun.file(join(packageFolder, "package.json")).json()).version;
}

/** A port that was free a moment ago, for programs that cannot choose one themselves. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
