/** What a hub of any version has: users, a row with a secret, calls, and workflow runs that wait. */
import { z } from "zod";
import { ask, callTool, type Hub, runCommand, tryCommand, waitUntil } from "./upgrade-hub.ts";

/** The outside system of the row, which answers requests with the row's secret only. */
export type Shop = Disposable & { url: string; paths: string[] };

export type Subjects = {
  /** Of an admin, made by the old version. */
  token: string;
  /** Of a user who is no admin. */
  userToken: string;
  row: string;
  /** Without workflows in that version, neither is there. */
  waitPath: string | null;
  approvalPath: string | null;
};

const email = "old@localhost";
const idSchema = z.object({ id: z.string() });
const tokenSchema = z.object({ token: z.string() });
const runsSchema = z.object({ runs: z.array(z.object({ id: z.string(), state: z.string() })) });
/** Longer than the old server lives after it. */
const waitSeconds = 15;

export function openShop(secret: string): Shop {
  const paths: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      if (request.headers.get("authorization") !== `Bearer ${secret}`)
        return new Response("no", { status: 401 });
      paths.push(new URL(request.url).pathname);
      return Response.json({ ok: true });
    },
  });
  return { url: server.url.origin, paths, [Symbol.dispose]: () => void server.stop(true) };
}

/** Makes all that the version of the checkout can have, and leaves the runs waiting. */
export async function makeSubjects(
  checkout: string,
  hub: Hub,
  url: string,
  shop: Shop,
): Promise<Subjects> {
  await runCommand(checkout, hub, ["user", "add", email, "--admin"]);
  await runCommand(checkout, hub, ["user", "add", "ann@localhost", "--tag", "sales"]);
  const token = await makeToken(checkout, hub, email);
  const userToken = await makeToken(checkout, hub, "ann@localhost");
  const fields = ["--set", `base_url=${shop.url}`, "--set", "auth_mode=bearer"];
  const { id: row } = idSchema.parse(
    await runCommand(checkout, hub, [
      ...["row", "add", "http", "--label", "Shop", "--tag", "sales", ...fields],
      ...["--secret-env", "token=SHOP_TOKEN"],
    ]),
  );
  for (const each of [token, userToken]) await callTool(url, each, toTool(row), { path: "/old" });
  const make = (name: string, first: object) => makeWaiting(url, token, { name, first, row });
  const has = async (word: string) =>
    (await tryCommand(checkout, hub, ["workflow", word, "--help"])).stdout.includes(word);
  const approvers = { users: [email] };
  const approvalPath = (await has("approve"))
    ? await make("Asks", { type: "approval", title: "Go on?", approvers, expires_s: 2_592_000 })
    : null;
  // Last, because its time runs.
  const waitPath = (await has("publish"))
    ? await make("Waits", { type: "wait", seconds: waitSeconds })
    : null;
  return { token, userToken, row, waitPath, approvalPath };
}

/** Throws if a run has gone on: after the way back it would not do so again. To be asked when the database is saved. */
export function checkWaiting({ paths }: Shop): void {
  if (!paths.some((path) => path.startsWith("/waited"))) return;
  throw new Error(`A run has waited for ${waitSeconds} s before the hub was upgraded.`);
}

/** Throws unless all of it works, and the runs that waited have gone on. */
export async function checkSubjects(
  checkout: string,
  hub: Hub,
  url: string,
  { subjects, shop }: { subjects: Subjects; shop: Shop },
): Promise<void> {
  const { token, userToken, row, waitPath, approvalPath } = subjects;
  for (const each of [token, userToken]) await callTool(url, each, toTool(row), { path: "/again" });
  // A run that waited may have called it already.
  const called = shop.paths.filter((path) => path.startsWith("/again")).length;
  if (called !== 2) throw new Error(`The shop got ${called} of the two calls.`);
  const { runs } = z
    .object({ runs: z.array(z.unknown()) })
    .parse(await ask(url, token, ["GET", "/manager/api/runs"]));
  if (runs.length < 4) throw new Error(`Only ${runs.length} calls are recorded.`);
  if (approvalPath !== null) await approveAll(checkout, hub);
  const waiting = [waitPath, approvalPath].filter((path) => path !== null);
  for (const path of waiting) {
    await waitUntil(async () => (await readStates(url, token, path)).join() === "succeeded");
  }
  const arrived = shop.paths.filter((path) => path.startsWith("/waited")).length;
  if (arrived !== waiting.length) throw new Error(`${arrived} runs called the shop.`);
  // The version that is next has the same runs.
  shop.paths.length = 0;
}

async function makeToken(checkout: string, hub: Hub, user: string): Promise<string> {
  const args = ["token", "create", "--user", user, "--name", "old"];
  const scoped = await tryCommand(checkout, hub, [...args, "--scope", "manage", "--json"]);
  // Tokens of the first versions have no scope.
  const made =
    scoped.exitCode === 0 ? JSON.parse(scoped.stdout) : await runCommand(checkout, hub, args);
  return tokenSchema.parse(made).token;
}

function toTool(row: string): string {
  return `conn:${row}/get`;
}

type Waiting = { name: string; first: object; row: string };

/** Publishes a workflow that waits and then calls the row, starts it, and returns its path in the API. */
async function makeWaiting(url: string, token: string, given: Waiting): Promise<string> {
  const { name, first, row } = given;
  const isApproval = "approvers" in first;
  const body = {
    triggers: [{ id: "go", type: "manual", entry: "first" }],
    nodes: [
      { id: "first", ...first },
      { id: "call", type: "operation", tool_id: toTool(row), params: { path: `/waited/${name}` } },
    ],
    edges: [{ from: "first", to: "call", ...(isApproval && { case: "approved" }) }],
  };
  const { id } = idSchema.parse(
    await ask(url, token, ["POST", "/manager/api/workflows", { name, body }]),
  );
  const path = `/manager/api/workflows/${id}`;
  await ask(url, token, ["POST", `${path}/publish`, { revision: 1 }]);
  await ask(url, token, ["POST", `${path}/runs`, {}]);
  await waitUntil(async () => (await readStates(url, token, path)).join() === "waiting");
  return path;
}

async function approveAll(checkout: string, hub: Hub): Promise<void> {
  const listed = z
    .array(idSchema)
    .parse(await runCommand(checkout, hub, ["workflow", "approvals"]));
  if (listed.length !== 1) throw new Error(`${listed.length} approvals wait.`);
  for (const { id } of listed) await runCommand(checkout, hub, ["workflow", "approve", id]);
}

export async function readStates(url: string, token: string, path: string): Promise<string[]> {
  const { runs } = runsSchema.parse(await ask(url, token, ["GET", `${path}/runs`]));
  return runs.map(({ state }) => state);
}
