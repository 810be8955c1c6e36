/** Protects: an export ends with the right of its user, also one that began before. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { queryDatabase } from "./support/query-database.ts";
import { openRaw, type RawConnection, toRequest } from "./support/raw-http.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

let hub: RunningHub;

beforeAll(async () => {
  hub = await startHub();
  fillRuns();
});
afterAll(() => hub[Symbol.asyncDispose]());

/** More than the buffers of a connection and of the runtime hold. */
const runs = 30_000;

function fillRuns(): void {
  queryDatabase(
    hub.dataDir,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${runs})
     insert into connector_runs
       (id, operation_key, user_id, source, status, request, request_cut, instance_id, started_at)
     select '01900000-0000-7000-8000-1' || (10000000000 + i), 'get', 'filled', 'mcp', 'success',
       '{"text":"${"x".repeat(300)}"}', 0, 'filled', ${Date.now()} - i
     from n`,
  );
}

async function addAdmin(email: string): Promise<{ token: string; tokenId: string }> {
  await hub.addUser(email, { admin: true });
  const user = ["--user", email, "--name", "export", "--scope", "manage"];
  const made = await hub.cli("token", "create", ...user, "--json");
  const { token, id } = made.json<{ token: string; id: string }>();
  return { token, tokenId: id };
}

/** Begins an export and stops reading after the first bytes. */
async function beginExport(token: string): Promise<{ raw: RawConnection; isWhole(): boolean }> {
  const raw = await openRaw(hub.port);
  let end = "";
  let bytes = 0;
  raw.socket.on("data", (chunk: Buffer) => {
    if (bytes === 0) raw.socket.pause();
    bytes += chunk.length;
    end = (end + chunk.toString("latin1")).slice(-5);
  });
  const headers = [`Host: localhost:${hub.port}`, `Authorization: Bearer ${token}`];
  raw.send(toRequest("GET /manager/api/runs/export HTTP/1.1", headers));
  await waitFor(() => bytes > 0);
  // The last chunk of a complete answer.
  return { raw, isWhole: () => end === "0\r\n\r\n" };
}

test("An export is broken off when its user is disabled, no longer an admin, or the token is revoked; others go on", async () => {
  const people = {
    disabled: await addAdmin("disabled@example.com"),
    demoted: await addAdmin("demoted@example.com"),
    revoked: await addAdmin("revoked@example.com"),
    kept: await addAdmin("kept@example.com"),
  };
  const exports = new Map<string, Awaited<ReturnType<typeof beginExport>>>();
  for (const [name, { token }] of Object.entries(people)) {
    exports.set(name, await beginExport(token));
  }
  await hub.cli("user", "disable", "disabled@example.com");
  await hub.cli("user", "set", "demoted@example.com", "--role", "user");
  await hub.cli("token", "revoke", people.revoked.tokenId);

  const outcomes: Record<string, string> = {};
  for (const [name, { raw, isWhole }] of exports) {
    raw.socket.resume();
    let isClosed = false;
    void raw.closed.then(() => {
      isClosed = true;
    });
    await waitFor(() => isClosed || isWhole());
    outcomes[name] = isWhole() ? "whole" : "broken off";
    await raw[Symbol.asyncDispose]();
  }
  expect(outcomes).toEqual({
    disabled: "broken off",
    demoted: "broken off",
    revoked: "broken off",
    kept: "whole",
  });
});

nightlyTest("A user's 33rd export at once is refused with 429 and Retry-After", async () => {
  const { token } = await addAdmin("many@example.com");
  const open: Response[] = [];
  const begin = () =>
    fetch(`${hub.url}/manager/api/runs/export`, { headers: { authorization: `Bearer ${token}` } });
  for (let count = 0; count < 32; count += 1) open.push(await begin());
  const refused = await begin();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  for (const { body } of open) await body?.cancel();
});

test("HEAD leaves no export open: a user may send it 40 times and still export", async () => {
  const { token } = await addAdmin("head@example.com");
  const headers = { authorization: `Bearer ${token}` };
  const ask = (method: string) =>
    fetch(`${hub.url}/manager/api/runs/export`, { method, headers: { ...headers } });
  for (let count = 0; count < 40; count += 1) {
    expect([count, (await ask("HEAD")).status]).toEqual([count, 200]);
  }
  const whole = await ask("GET");
  expect(whole.status).toBe(200);
  await whole.body?.cancel();
});
