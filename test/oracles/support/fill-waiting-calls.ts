import { randomUUID } from "node:crypto";
import { queryDatabase } from "../../support/query-database.ts";
import { callApi } from "./fill-admin-pages.ts";
import type { App } from "./open-app.ts";

const tag = "approvers";
/** Asked by a client, which may ask no more of one operation; the others are copies of them. */
const askedCount = 5;

/**
 * Calls of a row that wait for the admin, each a minute older than the next: some that a client has asked, and
 * copies of them by other users. Returns the id of the newest one.
 */
export async function fillWaitingCalls(app: App, row: string, count: number): Promise<string> {
  const { hub, base } = app;
  const manage = await hub.makeManageToken();
  const { user: admin } = await callApi<{ user: { id: string } }>(
    base,
    manage,
    "GET /profile/api/me",
  );
  await callApi(base, manage, `PATCH /admin/api/users/${admin.id}`, { add_tags: [tag] });
  const email = `asker-${randomUUID()}@example.com`;
  await hub.cli("user", "add", email, "--tag", "fill");
  const sentence = "Refunds leave the shop's bank account within the hour.";
  const args = ["--asks", "always", "--decided-by", tag, "--hour", "--sentence", sentence];
  await hub.cli("rule", "set", row, ...args);
  const made = await hub.cli("token", "create", "--user", email, "--name", "Laptop", "--json");
  const { token } = made.json<{ token: string }>();
  for (let at = 0; at < askedCount; at += 1) await ask(app, { token, row, at });

  const { dataDir } = hub;
  const [named] = queryDatabase<{ columns: string }>(
    dataDir,
    "select group_concat(name) as columns from pragma_table_info('pending_calls') where name not in ('id', 'user_id', 'created_at')",
  );
  const columns = named?.columns ?? "";
  const users = queryDatabase<{ id: string }>(
    dataDir,
    "select id from users where name like 'Fill %' order by id limit 50",
  ).map(({ id }) => id);
  const copies = Math.ceil(count / askedCount) - 1;
  const numbered = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies})`;
  queryDatabase(
    dataDir,
    `insert into pending_calls (id, user_id, created_at, ${columns})
      ${numbered} select lower(hex(randomblob(16))),
        json_extract('${JSON.stringify(users)}', '$[' || (n % ${users.length}) || ']'),
        created_at - 60000 * n, ${columns}
      from pending_calls, numbers where state = 'open'`,
  );
  queryDatabase(
    dataDir,
    `insert or ignore into pending_call_deciders (call_id, kind, name)
      select id, 'tag', '${tag}' from pending_calls where state = 'open'`,
  );
  const newest =
    "select id from pending_calls where state = 'open' order by created_at desc limit 1";
  return queryDatabase<{ id: string }>(dataDir, newest)[0]?.id ?? "";
}

async function ask(
  { base }: App,
  { token, row, at }: { token: string; row: string; at: number },
): Promise<void> {
  const body = { invoice: `2026-${1100 + at}`, amount: 18.5 * at, reason: "The parcel was late." };
  const response = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "hub_execute",
        arguments: { tool_id: `conn:${row}/post`, params: { path: `/refunds/${at}`, body } },
      },
    }),
  });
  const answer = await response.text();
  if (!answer.includes("pending_id")) throw new Error(`The call was not asked about: ${answer}`);
}
