import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBundledProgram } from "../../packages/cli/src/bundle/find-bundled-program.ts";
import { toProgramCommand } from "./compile-programs.ts";
import { hubMain, toHubEnv } from "./run-cli.ts";
import {
  initialize,
  openCommandSession,
  readMessages,
  type StdioSession,
} from "./stdio-session.ts";

type ServeOptions = { cwd?: string; env?: Record<string, string>; isRunByBun?: boolean };

/** A project whose program is a small MCP server instead of a hub, so that it compiles fast. */
export type StubProject = AsyncDisposable & {
  /** Contains the project, its data folder and the home of its user. */
  base: string;
  root: string;
  /** Where the compiled program and its record belong. */
  bin: string;
  home: string;
  write(path: string, text: string): void;
  /** The id of the build in this folder; null if there is none. */
  readBuildId(folder?: string): string | null;
  /** Starts `hub mcp serve` with these arguments, compiled or as Bun runs it. */
  serve(args: string[], options?: ServeOptions): StdioSession;
  /** The answer to `initialize` has the version of the source that was built. */
  readVersion(args: string[], options?: { cwd?: string }): Promise<string>;
};

const main = `import { version } from "./version.ts";
import { outside } from "../outside.ts";

process.on("SIGTERM", () => process.exit(15));
for await (const line of console) {
  if (line === "") continue;
  const { id, method, params } = JSON.parse(line);
  if (method === "exit") process.exit(params.code);
  const report = { args: process.argv.slice(2), cwd: process.cwd(), program: process.execPath };
  const serverInfo = { name: "stub", version: version + outside };
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo }
      : report;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`;

export async function makeStubProject(): Promise<StubProject> {
  const base = realpathSync(await mkdtemp(join(tmpdir(), "hub-project-")));
  const [root, home] = [join(base, "project"), join(base, "home")];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package.json", JSON.stringify({ name: "@acme/acme-hub", hub: { entry: "main.ts" } }));
  write("package-lock.json", "{}");
  write("main.ts", main);
  write("version.ts", 'export const version = "1";');
  write("../outside.ts", 'export const outside = "";');
  // The build looks for the hub's packages, but the program does not import them.
  write("node_modules/@hub/cli/package.json", '{"name":"@hub/cli"}');
  write("node_modules/@hub/server/package.json", '{"name":"@hub/server","version":"7.8.9"}');
  write("node_modules/@hub/server/src/operations/answers/answer-worker.ts", "");
  write("node_modules/@hub/server/src/bridges/openapi/documents/document-worker.ts", "");

  // The program of a checkout looks at all sources at each start, which is not the subject.
  const bundled = findBundledProgram("hub-main") ?? hubMain;
  const serve: StubProject["serve"] = (args, { cwd = base, env = {}, isRunByBun = false } = {}) => {
    const [command, ...before] = isRunByBun
      ? [process.execPath, bundled]
      : toProgramCommand(hubMain);
    return openCommandSession({
      command,
      args: [...before, "mcp", "serve", ...args],
      env: toHubEnv({ dataDir: join(base, "data"), env: { HOME: home, ...env } }),
      cwd,
    });
  };
  const bin = join(root, ".hub", "bin");
  return {
    base,
    root,
    bin,
    readBuildId(folder = bin) {
      try {
        return JSON.parse(readFileSync(join(folder, "acme-hub.json"), "utf8")).id;
      } catch {
        return null;
      }
    },
    home,
    write,
    serve,
    async readVersion(args, options) {
      await using session = serve(args, options);
      return await readServerVersion(session);
    },
    async [Symbol.asyncDispose]() {
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Initializes and closes the session. Fails if it wrote anything but protocol messages. */
export async function readServerVersion(session: StdioSession): Promise<string> {
  session.send(initialize);
  const { result } = await session.answerTo(initialize.id);
  await session.close();
  checkProtocol(session);
  return result.serverInfo.version;
}

/** Fails if standard output has a byte that is not of a protocol message. */
export function checkProtocol(session: StdioSession): void {
  const text = session.stdout();
  for (const message of readMessages(text)) {
    if (message.jsonrpc !== "2.0") throw new Error(`Not a protocol message: ${text}`);
  }
  if (text !== "" && !text.endsWith("\n")) throw new Error(`An incomplete line: ${text}`);
}
