/** Protects: callers of a row cannot guess its secret by the million, and the hub's own texts confirm no guess. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const secret = "482913";
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestClient;
let rowId: string;
let weak: unknown;
let calls = 0;

beforeAll(async () => {
  const outside = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      calls += 1;
      return new Response(await req.text());
    },
  });
  owned.defer(() => outside.stop(true));
  hub = owned.use(
    await startHub({ isHere: true, env: { HUB_BUDGET_GUESSES: "1000", PIN: secret } }),
  );
  const added = await hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Desk", "--tag", "desk", "--json"],
      ...["--set", `base_url=http://127.0.0.1:${outside.port}`, "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=PIN"],
    ],
    { env: { PIN: secret } },
  );
  if (added.exitCode !== 0) throw new Error(added.stderr);
  ({ id: rowId, weak } = added.json<{ id: string; weak: unknown }>());
  const { token } = await hub.addUser("ada@example.com", { tags: ["desk"] });
  ada = owned.use(await connectHttp(hub.url, token));
});

afterAll(() => owned.disposeAsync());

const post = (body: string) => ada.execute(`conn:${rowId}/post`, { path: "/", body });

test("Saving a secret that can be guessed warns", async () => {
  expect(weak).toEqual(["token"]);
  const set = ["row", "set", "Desk", "--secret-env", "token=PIN"];
  const { stderr } = await hub.tryCli(set, { env: { PIN: secret } });
  expect(stderr).toContain("warning: token can be guessed by users of the row");
});

test("A right guess becomes a token in the answer, and is not in the record", async () => {
  const right = await post(`is it ${secret}?`);
  expect(right.value.body).toMatch(/^is it hub_enc_[\w-]+\?$/);
  const { request } = readLastRun(hub.dataDir);
  expect(request).toContain("what its callers send is not stored");
  await post("is it 111111?");
  expect(readLastRun(hub.dataDir).request).toBe(request as string);
});

test("The error of a right guess is that of a wrong one", async () => {
  const guess = async (name: string) =>
    JSON.stringify((await ada.execute(`conn:${rowId}/post`, { path: "/", [name]: 1 })).value);
  expect(await guess(secret)).toBe(await guess("111111"));
});

test("Guesses are refused at the limit, before they reach the outside system", async () => {
  const before = calls;
  let guesses = 0;
  for (let at = 0; at < 40; at += 1) {
    const body = Array.from({ length: 50 }, (_, index) => 100_000 + at * 50 + index).join(" ");
    const answer = await post(body);
    if (answer.value.error === undefined && answer.value.code === undefined) guesses += 50;
    else {
      expect(JSON.stringify(answer.value)).toContain("rate_limited");
      break;
    }
  }
  expect(guesses).toBeGreaterThan(100);
  expect(guesses).toBeLessThan(1_000);
  expect(calls - before).toBe(guesses / 50);
});
