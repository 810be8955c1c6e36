/** Masks hide secrets from every source: configuration, params, `mask()` and value tokens. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { readAudit, readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const secret = "row-secret-77-19-9fK2xQ7vLm4R";
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let client: TestClient;
let rowId: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ main, env: { SECRET: secret } }));
  rowId = await addRow(hub);
  client = owned.use(await connectHttp(hub.url, hub.adminToken()));
});

afterAll(() => owned.disposeAsync());

async function addRow({ cli }: RunningHub): Promise<string> {
  const args = ["row", "add", "fixture", "--label", "Laboratory", "--json"];
  return (await cli(...args, "--secret-env", "secret=SECRET")).json<{ id: string }>().id;
}

test("A plaintext in a secret input is recorded and returned as a value token", async () => {
  const password = "typed in plain, 4711";
  const answer = await client.execute(`conn:${rowId}/whisper`, { password });
  expect(answer.value).toEqual({
    length: password.length,
    said: expect.stringMatching(/^hub_enc_/),
  });
  const { request, response } = readLastRun(hub.dataDir);
  expect(JSON.parse(request ?? "")).toEqual({ password: answer.value.said });
  expect(JSON.parse(response ?? "")).toEqual(answer.value);
});

test("Values that a connector masks are hidden, in any case with maskIgnoreCase", async () => {
  const { value } = await client.execute(`conn:${rowId}/mask`);
  const masked = expect.stringMatching(/^hub_enc_/);
  expect(value).toEqual({ exact: masked, mixed: masked, ofRow: [masked, masked] });
});

test("Log lines of a connector are masked", async () => {
  await client.execute(`conn:${rowId}/log`);
  // The line arrives through a pipe, so perhaps after the answer.
  const logged = ["calling with hub_enc_", "Bearer hub_enc_"];
  await waitFor(() => logged.every((part) => hub.stderr().includes(part)));
  expect(hub.stderr()).not.toContain(secret);
});

test("A secret input that is refused is recorded as a value token", async () => {
  const before = readAudit(hub.dataDir).length;
  const params = { password: "refused-password-31", extra: "x" };
  const answer = await client.execute(`conn:${rowId}/whisper`, params);
  expect(answer).toMatchObject({ isError: true, value: { code: "invalid_params" } });
  const runs = JSON.stringify(readAudit(hub.dataDir).slice(before));
  expect(runs).toContain("hub_enc_");
  expect(runs).not.toContain("refused-password-31");
});

testOnSqlite(
  "keyRemoval",
  "After key rotation beside a running server, rows work and older tokens are valid",
  async () => {
    const { value: before } = await client.execute(`conn:${rowId}/show`);
    await hub.cli("keys", "rotate");
    const { value: after } = await client.execute(`conn:${rowId}/show`);
    expect(after).toEqual({ secret: expect.stringMatching(/^hub_enc_/), chars: secret.length });
    // The next call uses the new key.
    expect(after.secret).not.toBe(before.secret);

    for (const token of [before.secret, after.secret]) {
      const answer = await client.execute(`conn:${rowId}/whisper`, { password: token });
      expect(answer).toMatchObject({ isError: false, value: { length: secret.length } });
      expect(answer.text).not.toContain(secret);
    }
  },
);

test("HUB_ENC_DISABLE=1 disables masking, and each start logs it", async () => {
  await using open = await startHub({ main, env: { SECRET: secret, HUB_ENC_DISABLE: "1" } });
  const openRowId = await addRow(open);
  await using openClient = await connectHttp(open.url, open.adminToken());
  const { value } = await openClient.execute(`conn:${openRowId}/show`);
  expect(value).toEqual({ secret, chars: secret.length });
  await waitFor(() => open.stderr().includes("HUB_ENC_DISABLE"));
});
