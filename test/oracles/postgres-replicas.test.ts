/** Several servers on one PostgreSQL database: what attackers and admins can do at once. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { startPostgres } from "./support/postgres-server.ts";

setDefaultTimeout(60_000);

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hubs: RunningHub[];
let first: RunningHub;

beforeAll(async () => {
  const server = owned.use(await startPostgres());
  const env = {
    HUB_DATABASE_URL: await server.createDatabase(),
    HUB_ENC_KEY: "5a".repeat(32),
    HUB_TRUSTED_PROXIES: "127.0.0.1",
    FIXTURE_SECRET: "a-secret",
  };
  const open = async () => owned.use(await startHub({ main, env, hasCheapPasswords: true }));
  first = await open();
  hubs = [first, await open(), await open()];
});
afterAll(() => owned.disposeAsync());

const pick = (index: number): RunningHub => hubs[index % hubs.length] ?? first;

const readCookies = (response: Response) =>
  response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

type SignIn = { email: string; password: string; address: string };

/** The status of the answer to one sign-in by hand. */
async function signIn(hub: RunningHub, { email, password, address }: SignIn): Promise<number> {
  const headers = { accept: "text/html", "x-forwarded-for": address };
  const page = await fetch(`${hub.url}/auth/login`, { headers });
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const answer = await fetch(`${hub.url}/auth/login`, {
    method: "POST",
    headers: { ...headers, cookie: readCookies(page).join("; ") },
    redirect: "manual",
    body: new URLSearchParams({ csrf, email, password }),
  });
  return answer.status;
}

async function addPasswordUser(email: string): Promise<string> {
  const added = await first.cli("user", "add", email, "--password", "--json");
  return added.json<{ one_time_password: string }>().one_time_password;
}

const count = (statuses: readonly number[], wanted: number) =>
  statuses.filter((status) => status === wanted).length;

test("Sixty-four sign-ins at once from one network through three servers do not conflict", async () => {
  const people = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => {
      const email = `person${index}@example.com`;
      return { email, password: await addPasswordUser(email) };
    }),
  );
  const address = "198.51.100.7";
  const attempts = Array.from({ length: 64 }, (_, index) => {
    const person = people[index % people.length];
    return signIn(pick(index), { email: "", password: "", ...person, address });
  });
  const statuses = await Promise.all(attempts);
  // Those of the full queue of one network are refused.
  expect(statuses.filter((status) => status !== 303 && status !== 429)).toEqual([]);
  expect(count(statuses, 303)).toBeGreaterThan(0);
});

test("Wrong passwords through three servers at once count exactly", async () => {
  await addPasswordUser("victim@example.com");
  const guess = (index: number) =>
    signIn(pick(index), {
      email: "victim@example.com",
      password: "wrong",
      address: "203.0.113.9",
    });
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(index)));
  const tried = count(statuses, 401);
  expect(count(statuses, 429)).toBe(30 - tried);
  // A place in the queue of one network may be taken, so fewer may have been compared.
  expect(tried).toBeLessThanOrEqual(10);
  for (let index = tried; index < 10; index += 1) expect(await guess(index)).toBe(401);
  expect(await guess(0)).toBe(429);
});
