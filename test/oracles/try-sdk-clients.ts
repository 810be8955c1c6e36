/**
 * Lets programs with the official Java and Rust SDKs use a hub: `bun test/oracles/try-sdk-clients.ts [java|rust]`.
 * Each connects over HTTP with a personal token, and over stdio; the Rust SDK also in the stateless mode. Prints a line
 * for each step. The exit code is 1 if a step is wrong, also if a client cannot be built here. The first build of the
 * Rust client takes minutes.
 */
import { join } from "node:path";
import { readAudit } from "../support/audit.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { toStdioCommand } from "../support/stdio-command.ts";
import { waitFor } from "../support/wait-for.ts";
import { type BuiltClient, buildJavaClient, buildRustClient } from "./support/build-sdk-clients.ts";
import { startRecordingProxy } from "./support/record-requests-proxy.ts";

type Client = {
  name: "java" | "rust";
  build(): BuiltClient;
  /** The ways in which it connects over HTTP: its first argument, and whether it has a session to end. */
  overHttp: Array<{ mode: string; hasSession: boolean }>;
  /** Whether the SDK has a call that cancels a request. */
  cancels: boolean;
};

const clients: Client[] = [
  {
    name: "java",
    build: buildJavaClient,
    overHttp: [{ mode: "http", hasSession: true }],
    cancels: false,
  },
  {
    name: "rust",
    build: buildRustClient,
    overHttp: [
      { mode: "session", hasSession: true },
      { mode: "stateless", hasSession: false },
    ],
    cancels: true,
  },
];

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const wanted = process.argv[2];
await using hub = await startHub({ main });
const rowId = await addRow(hub);
let hasFailed = false;

for (const { name, build, overHttp, cancels } of clients) {
  if (wanted !== undefined && wanted !== name) continue;
  const built = build();
  if ("reason" in built) {
    report(`${name}: the client is built`, false, built.reason);
    continue;
  }
  for (const { mode, hasSession } of overHttp) {
    console.log(`\n${name}, HTTP, ${mode}`);
    await using proxy = startRecordingProxy(hub.url);
    const calls = [...built.command, mode, proxy.url, hub.adminToken(), rowId];
    await tryClient(calls, {}, cancels);
    const sent = [...new Set(proxy.requests)].join(", ");
    report("requests", !proxy.requests.some((line) => / 5\d\d$/.test(line)), sent);
    if (hasSession) report("the session ends", proxy.requests.includes("DELETE 204"));
  }
  console.log(`\n${name}, stdio`);
  const { command, args, env } = toStdioCommand({ dataDir: hub.dataDir, main });
  await tryClient([...built.command, "stdio", rowId, command, ...args], env, cancels);
}
await hub.stop();
process.exit(hasFailed ? 1 : 0);

/** Runs a client, which prints its own steps, and looks whether the hub has cancelled what it cancelled. */
async function tryClient(
  command: string[],
  env: Record<string, string>,
  cancels: boolean,
): Promise<void> {
  const before = readAudit(hub.dataDir).length;
  const { PATH = "" } = process.env;
  const child = Bun.spawn(command, {
    env: { ...env, PATH },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const complaint = await child.stderr.text();
  const exitCode = await child.exited;
  if (exitCode !== 0) console.log(complaint);
  report("the client's exit code is 0", exitCode === 0, String(exitCode));
  if (!cancels || exitCode !== 0) return;
  const findWait = () =>
    readAudit(hub.dataDir)
      .slice(before)
      .find(({ operation_key: key }) => key === "wait");
  await waitFor(() => findWait()?.ended_at != null);
  report("the cancelled call is recorded so", findWait()?.status === "cancelled");
}

async function addRow({ tryCli }: RunningHub): Promise<string> {
  const row = ["row", "add", "fixture", "--label", "Laboratory", "--secret-env", "secret=SECRET"];
  const added = await tryCli([...row, "--json"], { env: { SECRET: "row-secret-9fK2xQ7vLm4R" } });
  return added.json<{ id: string }>().id;
}

function report(step: string, isRight: boolean, seen = ""): void {
  hasFailed ||= !isRight;
  console.log(`${isRight ? "ok      " : "FAILED  "}${step}${seen === "" ? "" : `: ${seen}`}`);
}
