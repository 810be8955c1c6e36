/**
 * The first cycle of an identity provider beside calls over `/mcp`:
 * `bun scripts/scim-first-cycle.ts [--users N] [--groups N] [--members N] [--at-once N] [--postgres]`.
 * Calls run one after another, first without SCIM and then during the cycle: each user is looked up and made, each group is looked up, made
 * and given members in portions of 100. The exit code is 1 if a request or a call fails, if a user lacks a tag of a group, or if the
 * median call takes more than twice as long as without SCIM, and 20 ms longer.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { toSender } from "../test/scim/scim-client.ts";
import { addCallTargets, kinds, makeCall } from "../test/support/mixed-calls.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryDatabase } from "../test/support/query-database.ts";
import { startHub } from "../test/support/start-hub.ts";

const { values: flags } = parseArgs({
  options: {
    users: { type: "string", default: "10000" },
    groups: { type: "string", default: "500" },
    members: { type: "string", default: "100" },
    "at-once": { type: "string", default: "5" },
    postgres: { type: "boolean", default: false },
  },
});
const counts = { users: Number(flags.users), groups: Number(flags.groups) };
const members = Math.min(Number(flags.members), counts.users);
const portion = 100;
const idleCalls = 300;

await using owned = new AsyncDisposableStack();
const main = resolve(import.meta.dirname, "../test/support/fixture-hub.ts");
const hub = owned.use(await startHub({ main, env: flags.postgres ? await openDatabase() : {} }));
const targets = await addCallTargets(hub);
const { greet } = kinds;
if (greet === undefined) throw new Error("There is no call that succeeds.");
const call = greet.toCall(targets);
const made = await hub.cli("scim", "add", "First cycle", "--json");
const { token } = made.json<{ token: string }>();
const client = toSender(hub.url, token);
queryDatabase(
  hub.dataDir,
  `insert into group_lines (id, position, source, pattern, is_pattern, tags, tag_start, role, admin_by_scim)
   values ('cycle', 0, 'scim', 'Group *', 1, '["of-a-group"]', null, 'user', 0)`,
);
let failures = 0;

async function openDatabase(): Promise<Record<string, string>> {
  const server = owned.use(await startPostgres());
  return { HUB_DATABASE_URL: await server.createDatabase(), HUB_ENC_KEY: "5c".repeat(32) };
}

async function measureCall(): Promise<number> {
  const startedAt = performance.now();
  const { status } = await makeCall({ url: hub.url, targets, marker: "cycle" }, call);
  if (status !== "success") failures += 1;
  return performance.now() - startedAt;
}

/** Runs the work for each number, some at a time. */
async function forEach(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: Number(flags["at-once"]) }, run));
}

const check = (isRight: boolean) => {
  if (!isRight) failures += 1;
};
const find = (path: string, name: string) =>
  client.send("GET", `/${path}${encodeURIComponent(`"${name}"`)}`);

const ids: string[] = [];

async function runCycle(): Promise<number> {
  let requests = 0;
  await forEach(counts.users, async (at) => {
    const userName = `user-${at}@example.com`;
    check((await find("Users?filter=userName%20eq%20", userName)).body.totalResults === 0);
    const { status, body } = await client.send("POST", "/Users", {
      userName,
      externalId: `id-${at}`,
      name: { givenName: "User", familyName: String(at) },
      emails: [{ value: userName, type: "work", primary: true }],
      active: true,
    });
    check(status === 201);
    ids[at] = body.id;
    requests += 2;
  });
  await forEach(counts.groups, async (at) => {
    const displayName = `Group ${at}`;
    await find("Groups?excludedAttributes=members&filter=displayName%20eq%20", displayName);
    const { body } = await client.send("POST", "/Groups", { displayName, externalId: `g-${at}` });
    requests += 2;
    for (let first = 0; first < members; first += portion) {
      const chosen = Array.from(
        { length: Math.min(portion, members - first) },
        (_, one) => ids[(at * members + first + one) % ids.length],
      );
      const value = chosen.map((id) => ({ value: id }));
      check(
        (await client.patch(`/Groups/${body.id}`, { op: "Add", path: "members", value })).status ===
          204,
      );
      requests += 1;
    }
  });
  return requests;
}

const toMedian = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const toHigh = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;

const before: number[] = [];
for (let at = 0; at < idleCalls; at += 1) before.push(await measureCall());
const during: number[] = [];
let isOver = false;
const startedAt = performance.now();
const cycle = runCycle().finally(() => {
  isOver = true;
});
while (!isOver) during.push(await measureCall());
const requests = await cycle;
const seconds = (performance.now() - startedAt) / 1000;
const [{ tagged } = { tagged: 0 }] = queryDatabase<{ tagged: number }>(
  hub.dataDir,
  `select count(distinct user_id) as tagged from user_tags join tags on tags.id = user_tags.tag_id
   where tags.name = 'of-a-group'`,
);
const expected = Math.min(counts.groups * members, counts.users);
check(Number(tagged) === expected);
const [idle, busy] = [toMedian(before), toMedian(during)];
const isSlow = busy > idle * 2 && busy > idle + 20;
console.log(
  `${counts.users} users, ${counts.groups} groups of ${members}: ${requests} requests in ${seconds.toFixed(1)} s (${(requests / seconds).toFixed(0)} a second), ${tagged} of ${expected} users tagged
calls without SCIM: median ${idle.toFixed(1)} ms, 95th ${toHigh(before).toFixed(1)} ms (${before.length}); during: median ${busy.toFixed(1)} ms, 95th ${toHigh(during).toFixed(1)} ms (${during.length})
failures: ${failures}${isSlow ? "; calls are too slow" : ""}`,
);
process.exitCode = failures > 0 || isSlow ? 1 : 0;
