import { fileURLToPath } from "node:url";
import type { Bench } from "../measure.ts";
import { runHub, startHub } from "./hub-program.ts";
import type { RunningProgram } from "./running-program.ts";

export type HubContent = {
  /** Rows of the `http` connector, besides the one row of the `hub` connector. */
  httpRows?: number;
  /** One row of each of these connectors, which the measured program has built in. */
  connectorKeys?: readonly string[];
  /** Finished runs in the audit. */
  auditRows?: number;
};

export type HubFolder = { dataDir: string; token: string };

const email = "bench@localhost";
/** The tag of the rows that the bench's user sees. */
export const tag = "bench";

/** A used data folder, and the token of a user who is not an admin and sees every row. */
export async function createHubFolder(bench: Bench, content: HubContent = {}): Promise<HubFolder> {
  const dataDir = await bench.createFolder();
  const token = await createUserToken(dataDir);
  await fill(dataDir, content);
  return { dataDir, token };
}

/** Starts a hub on a used data folder of its own. `main` and `env` as of `startHub`. */
export async function startNewHub(
  bench: Bench,
  {
    content,
    main,
    env,
  }: { content?: HubContent; main?: string; env?: Record<string, string> } = {},
): Promise<RunningProgram & Pick<HubFolder, "token">> {
  const { dataDir, token } = await createHubFolder(bench, content);
  const program = await startHub(bench, dataDir, main, env);
  return { ...program, token };
}

/** Creates a hub with the bench's user, and a token of it. `env` names the database, if it is not in the folder. */
export async function createUserToken(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<string> {
  const run = (args: string[]) => runHub(dataDir, args, undefined, env);
  await run(["migrate"]);
  await run(["user", "add", email, "--tag", tag]);
  return readToken(await run(["token", "create", "--user", email, "--name", "bench"]));
}

/** Creates a hub in the folder, and a token of its admin. */
export async function createAdminToken(dataDir: string): Promise<string> {
  const admin = "admin@bench.localhost";
  await runHub(dataDir, ["migrate"]);
  await runHub(dataDir, ["user", "add", admin, "--admin"]);
  const named = ["--user", admin, "--name", "bench", "--scope", "manage"];
  return readToken(await runHub(dataDir, ["token", "create", ...named]));
}

/** Runs in a separate process, so that the load generator's heap stays small. */
async function fill(
  dataDir: string,
  { httpRows = 0, connectorKeys = [], auditRows = 0 }: HubContent,
): Promise<void> {
  if (httpRows + connectorKeys.length + auditRows === 0) return;
  const program = fileURLToPath(import.meta.resolve("./fill-folder.ts"));
  const request = JSON.stringify({ dataDir, tag, httpRows, connectorKeys, auditRows });
  const child = Bun.spawn([process.execPath, program, request], { stdio: ["ignore", 1, 2] });
  if ((await child.exited) !== 0) throw new Error("The folder could not be filled.");
}

function readToken(created: unknown): string {
  if (typeof created === "object" && created !== null && "token" in created) {
    if (typeof created.token === "string") return created.token;
  }
  throw new Error("`hub token create --json` printed no token.");
}
