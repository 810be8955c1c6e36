/**
 * Fills what users may fill, each to their limit and with the longest texts, and asks for every list that shows it to others:
 * sessions, applications, tokens, workflows, changes and the search, as an admin and as a user.
 * Prints for each list how long the event loop's thread worked in one go, all processor time and the memory:
 * `bun scripts/attacks/people-lists.ts [--only TEXT] [--hub CHECKOUT] [--users NUMBER]`.
 * The exit code is 1 if a list exceeds the law of `request-cost/law.ts`, counted by the bytes of its answer, or if the request
 * of another user waits for more than what the law allows. Linux only, about a minute.
 */
import { Database } from "bun:sqlite";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    hub: { type: "string" },
    users: { type: "string", default: "300" },
  },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
const users = Number(flags.users);

await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const judge = createJudge(watched, flags.only);
const admin = await hub.makeManageToken();

async function addUser(email: string): Promise<string> {
  await hub.cli("user", "add", email);
  const named = ["--user", email, "--name", "lists", "--scope", "manage", "--json"];
  return (await hub.cli("token", "create", ...named)).json<{ token: string }>().token;
}
const ada = await addUser("ada@example.com");
const ben = await addUser("ben@example.com");

/** Makes one of each over the API, and copies of it for all users, as many as one user may have. */
const made = await fetch(`${hub.url}/manager/api/workflows`, {
  method: "POST",
  headers: { authorization: `Bearer ${ada}`, "content-type": "application/json" },
  body: JSON.stringify({
    name: "n".repeat(100),
    description: "d".repeat(2_000),
    body: {
      triggers: [{ id: "a", type: "manual", entry: "b" }],
      nodes: [{ id: "b", type: "set", value: 1 }],
      edges: [],
    },
  }),
});
const workflow: string = Object(await made.json()).id;
{
  using db = new Database(join(hub.dataDir, "hub.sqlite"));
  db.run("pragma busy_timeout = 5000");
  db.run("pragma foreign_keys = off");
  const at = Date.now();
  const numbers = (name: string, count: number) =>
    `${name}(${name}) as (select 0 union all select ${name} + 1 from ${name} where ${name} < ${count - 1})`;
  const uuid = (...parts: string[]) =>
    `printf('%08x-0000-4000-8000-%012x', ${parts[0]}, ${parts[1] ?? "0"})`;
  const owners = numbers("u", users);
  const own = numbers("i", 100);
  db.transaction(() => {
    db.run(`with recursive ${owners} insert into users (id, email, name, role, status, password_hash, created_at, updated_at)
      select ${uuid("u")}, 'user' || u || '@example.com', printf('%.100c', 'n'), 'user', 'active', null, ${at}, ${at} from u`);
    db.run(`with recursive ${owners}, ${own} insert into sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, ip_address, user_agent)
      select ${uuid("u", "i")}, ${uuid("u")}, randomblob(32), ${at} - u * 100 - i, ${at}, ${at + 1e9}, '192.0.2.1', printf('%.500c', 'a') from u, i`);
    db.run(`with recursive ${owners}, ${own} insert into oauth_grants (id, user_id, client_id, client_name, redirect_uri, scope, resource, created_at, last_used_at, expires_at)
      select ${uuid("u", "i")}, ${uuid("u")}, 'c', printf('%.100c', 'n'), 'https://a.example/' || printf('%.2000c', 'x'), 'mcp', 'r', ${at} - u * 100 - i, null, ${at + 1e9} from u, i`);
    db.run(`with recursive ${owners}, ${own} insert into personal_access_tokens (id, user_id, name, scope, token_hash, last_four, created_at, last_used_at, expires_at, revoked_at)
      select ${uuid("u", "i")}, ${uuid("u")}, printf('%.100c', 'n'), 'mcp', randomblob(32), 'abcd', ${at} - u * 100 - i, null, null, null from u, i`);
    const columns = db
      .query<{ name: string }, []>("select name from pragma_table_info('workflows')")
      .all()
      .map(({ name }) => name);
    const copied = columns.map(
      (name) =>
        ({ id: uuid("u", "i"), owner_id: uuid("u"), created_at: `${at} - u * 100 - i` })[name] ??
        `w.${name}`,
    );
    db.run(`with recursive ${owners}, ${own} insert into workflows (${columns.join(", ")})
      select ${copied.join(", ")} from u, i, workflows w where w.id = '${workflow}'`);
    db.run(`insert into workflow_tags (workflow_id, tag_id)
      select w.id, t.id from workflows w, tags t where t.name = 'everyone' and w.id <> '${workflow}'`);
    db.run(`with recursive ${owners}, ${own} insert into changes (id, changed_at, actor_id, actor, via, token_id, ip_address, action, target_kind, target_id, target, detail)
      select ${uuid("u", "i")}, ${at}, ${uuid("u")}, 'user@example.com', 'session', null, null, 'workflow.update', 'workflow', 'w', printf('%.100c', 'n'), '{"description":{"from":"' || printf('%.2000c', 'd') || '","to":"' || printf('%.2000c', 'e') || '"}}' from u, i`);
  })();
}

/** Asks for a page. Returns the size of its text. */
async function get(path: string, token: string): Promise<string> {
  const answer = await fetch(`${hub.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) console.log(`${path}: ${answer.status} ${text.slice(0, 100)}`);
  return text;
}

/** Repeats a request of another user during the attack, and says how long the longest took. */
async function besideOther(attack: () => Promise<unknown>): Promise<string> {
  let isOver = false;
  let longest = 0;
  const poll = (async () => {
    while (!isOver) {
      const at = performance.now();
      await get("/profile/api/me", ben);
      longest = Math.max(longest, performance.now() - at);
      await Bun.sleep(5);
    }
  })();
  await attack();
  isOver = true;
  await poll;
  return `other ${longest.toFixed(0)} ms`;
}

const lists: Array<[path: string, token: string]> = [
  ...["sessions", "applications", "tokens", "users", "changes", "status", "tags"].map(
    (name): [string, string] => [`/admin/api/${name}`, admin],
  ),
  ["/admin/api/refused-sign-ins", admin],
  ["/manager/api/workflows", admin],
  ["/manager/api/workflows", ada],
  ["/manager/api/workflows?q=zzz", ada],
  ["/manager/api/workflows?state=failing", ada],
  ["/manager/api/workflows?tag=everyone", ada],
  ["/manager/api/search?q=zzz", admin],
  ["/manager/api/search?q=a%20b%20c%20d%20e%20f%20g%20h", ada],
  ["/manager/api/search?q=n%20n%20n%20n%20n%20n%20n%20n", ada],
  ["/manager/api/approvals", ada],
  ["/profile/api/sessions", ada],
  ["/profile/api/tokens", ada],
  ["/profile/api/applications", ada],
];
/** A page looks at 20,000 workflows at most, also if it finds none. */
const looks = 4;
for (const [path, token] of lists) {
  const name = `${token === admin ? "admin" : "user"} ${path}`;
  const bytes = (await get(path, token)).length;
  await judge.attack(name, { bytes, requests: looks }, async () => {
    await get(path, token);
    return `${(bytes / 1024).toFixed(0)} KiB`;
  });
  await judge.attack(`${name} x8`, { bytes: 8 * bytes, requests: 8 * looks }, () =>
    besideOther(() => Promise.all(Array.from({ length: 8 }, () => get(path, token)))),
  );
}
judge.end();
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();
