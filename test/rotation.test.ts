/**
 * The master key is rotated, and the old one removed, while clients call without a pause. Protects:
 * no call fails but those that carry tokens of a removed key, and those fail with token_invalid.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type CallLoad, startCallLoad } from "./support/call-load.ts";
import { connectHttp, connectStdio } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import type { TestClient, ToolAnswer } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { describeOnSqlite, nightlyTestOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const secret = "kept-through-every-rotation-9fK2xQ7vLm4R";
const env = { SECRET: secret };
/** Calls of each client in each phase. */
const callsEach = 4;

const phases = ["before", "rotating", "rotated", "removing", "removed"] as const;
type Phase = (typeof phases)[number];
const isBefore = (one: Phase, other: Phase) => phases.indexOf(one) < phases.indexOf(other);

async function addRow({ cli }: Pick<RunningHub, "cli">): Promise<string> {
  const args = ["row", "add", "fixture", "--label", "Laboratory", "--tag", "everyone", "--json"];
  return (await cli(...args, "--secret-env", "secret=SECRET")).json<{ id: string }>().id;
}

const show = (client: TestClient, rowId: string) => () => client.execute(`conn:${rowId}/show`);
const whisper = (client: TestClient, rowId: string, token: string) => () =>
  client.execute(`conn:${rowId}/whisper`, { password: `Bearer ${token}` });

/** The id of the key that a token was made with, as its header tells. */
function readKeyId(token: string): string {
  return Buffer.from(token.slice("hub_enc_".length, 20), "base64url").toString("hex", 1, 5);
}

async function readToken(client: TestClient, rowId: string): Promise<string> {
  return (await show(client, rowId)()).value.secret;
}

function expectNoFailure(load: CallLoad<Phase>): void {
  expect(load.calls.filter(({ outcome }) => outcome !== "success")).toEqual([]);
}

function expectEndOfTokens(load: CallLoad<Phase>): void {
  for (const { outcome, begunIn, endedIn } of load.calls) {
    if (isBefore(endedIn, "removing")) expect(outcome).toBe("success");
    else if (begunIn === "removed") expect(outcome).toBe("token_invalid");
    else expect(["success", "token_invalid"]).toContain(outcome);
  }
  expect(load.calls.at(-1)?.outcome).toBe("token_invalid");
}

/** What came back sealed: the row's own secret, or what the token in the call stood for. */
const sealedIn = ({ value }: ToolAnswer) => String(value.secret ?? value.said);

nightlyTestOnSqlite(
  "keyRemoval",
  "during continuous load, over HTTP and stdio, only tokens of the removed key stop working",
  async () => {
    await using owned = new AsyncDisposableStack();
    const hub = owned.use(await startHub({ isHere: true, main, env }));
    const rowId = await addRow(hub);
    const user = await hub.addUser("ada@example.com");
    const connect = async () => owned.use(await connectHttp(hub.url, user.token));
    const stdio = async () => owned.use(await connectStdio({ main, dataDir: hub.dataDir, env }));

    let phase: Phase = "before";
    const start = (call: () => Promise<ToolAnswer>) => startCallLoad(() => phase, call);
    const first = await connect();
    const local = await stdio();
    const oldToken = await readToken(first, rowId);
    const oldLocalToken = await readToken(local, rowId);
    const oldKey = readKeyId(oldToken);

    const plain = [first, local].map((client) => start(show(client, rowId)));
    const old = [
      start(whisper(await connect(), rowId, oldToken)),
      start(whisper(await stdio(), rowId, oldLocalToken)),
    ];
    const goOn = (loads: CallLoad<Phase>[]) =>
      Promise.all(loads.map((load) => load.goesOn(callsEach)));

    await goOn([...plain, ...old]);
    phase = "rotating";
    const rotated = (await hub.cli("keys", "rotate", "--json")).json<{ sealing: string }>();
    phase = "rotated";
    await goOn([...plain, ...old]);
    const fresh = await Promise.all(
      [await connect(), await stdio()].map(async (client) =>
        start(whisper(client, rowId, await readToken(client, rowId))),
      ),
    );
    await goOn([...plain, ...old, ...fresh]);
    phase = "removing";
    await hub.cli("keys", "remove", oldKey);
    phase = "removed";
    await goOn([...plain, ...old, ...fresh]);
    const loads = [...plain, ...old, ...fresh];
    await Promise.all(loads.map((load) => load.stop()));

    for (const load of [...plain, ...fresh]) expectNoFailure(load);
    for (const load of old) expectEndOfTokens(load);
    // The very next call after a rotation seals with the new key.
    for (const { answer, outcome, begunIn } of loads.flatMap(({ calls }) => calls)) {
      if (outcome !== "success") continue;
      const keyIds = sealedIn(answer)
        .match(/hub_enc_[\w-]+/g)
        ?.map(readKeyId);
      if (!isBefore(begunIn, "rotated")) expect(keyIds).toEqual([rotated.sealing]);
    }
    expect(hub.stderr()).not.toContain('"level":50');
  },
);

describeOnSqlite("keyFile", "a rotation that is killed", () => {
  let hub: RunningHub;
  let rowId: string;
  let client: TestClient;
  const owned = new AsyncDisposableStack();
  beforeAll(async () => {
    hub = owned.use(await startHub({ isHere: true, main, env }));
    rowId = await addRow(hub);
    client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  });
  afterAll(() => owned.disposeAsync());

  const killAt = (step: string) => ({
    BUN_OPTIONS: `--preload ${join(import.meta.dirname, "support/kill-at.ts")}`,
    KILL_AT: step,
  });
  const listKeys = async () =>
    (await hub.cli("keys", "list", "--json")).json<{
      keys: Array<{ id: string; sealed_values: number }>;
    }>().keys;

  nightlyTest.each([
    "before the new keys are written",
    "before the new keys are placed",
    "before the commit",
    "before the new key seals",
  ])("%s loses nothing, beside a running server and for the next", async (step) => {
    const token = await readToken(client, rowId);
    const load = startCallLoad(() => "killed", whisper(client, rowId, token));
    await load.goesOn(5);
    const killed = await hub.cliAlone(["keys", "rotate"], { env: killAt(step) });
    expect(killed.exitCode).not.toBe(0);
    await load.goesOn(5);

    // A value sealed by the next process, whichever key it found, opens in the running server.
    const { token: sealed } = (
      await hub.tryCli(["encrypt", "--user", "admin@localhost", "--json"], { stdin: "after it" })
    ).json<{ token: string }>();
    const opened = await client.execute(`conn:${rowId}/whisper`, { password: sealed });
    expect(opened.value).toMatchObject({ length: "after it".length });
    await load.stop();
    expect(load.calls.filter(({ outcome }) => outcome !== "success")).toEqual([]);

    // Another rotation does it all, and every key but the sealing one can go.
    await hub.cli("keys", "rotate");
    const [sealing, ...others] = await listKeys();
    expect(sealing?.sealed_values).toBe(1);
    for (const { id } of others) await hub.cli("keys", "remove", id);
    expect((await show(client, rowId)()).value).toMatchObject({ chars: secret.length });
    expect((await whisper(client, rowId, token)()).value).toMatchObject({ code: "token_invalid" });
  });

  nightlyTest("A removal that is killed leaves the key, and the next one removes it", async () => {
    await hub.cli("keys", "rotate");
    const [, { id } = { id: "" }] = await listKeys();
    const killed = await hub.cliAlone(["keys", "remove", id], {
      env: killAt("before the new keys are placed"),
    });
    expect(killed.exitCode).not.toBe(0);
    expect((await listKeys()).map((key) => key.id)).toContain(id);
    await hub.cli("keys", "remove", id);
    expect((await listKeys()).map((key) => key.id)).not.toContain(id);
    expect((await show(client, rowId)()).value).toMatchObject({ chars: secret.length });
  });

  test("and a restart right after it finds every secret", async () => {
    await hub.cliAlone(["keys", "rotate"], { env: killAt("before the commit") });
    expect(await listKeys()).toHaveLength(2);
    await using next = await startHub({ isHere: true, main, env, dataDir: hub.dataDir });
    await using nextClient = await connectHttp(next.url, hub.adminToken());
    expect((await show(nextClient, rowId)()).value).toMatchObject({ chars: secret.length });
    expect(await readdir(hub.dataDir)).toContain("keys.json");
  });
});

test("with HUB_ENC_KEY: two keys, a rotation to the first, and the second taken away at a restart", async () => {
  await using folder = await createDataFolder();
  const dataDir = folder.path;
  const [oldKey, newKey] = ["0a".repeat(32), "0b".repeat(32)];
  const startWith = (keys: string[]) =>
    startHub({ isHere: true, main, dataDir, env: { ...env, HUB_ENC_KEY: keys.join(",") } });

  let adminToken: string;
  let rowId: string;
  let oldToken: string;
  {
    await using hub = await startWith([oldKey]);
    adminToken = hub.adminToken();
    rowId = await addRow(hub);
    await using client = await connectHttp(hub.url, adminToken);
    oldToken = await readToken(client, rowId);
  }
  let newToken: string;
  {
    await using hub = await startWith([newKey, oldKey]);
    await using plain = await connectHttp(hub.url, adminToken);
    await using holder = await connectHttp(hub.url, adminToken);
    const loads = [
      startCallLoad(() => "running", show(plain, rowId)),
      startCallLoad(() => "running", whisper(holder, rowId, oldToken)),
    ];
    await Promise.all(loads.map((load) => load.goesOn(callsEach)));
    const rotated = (await hub.cli("keys", "rotate", "--json")).json<{ resealed_values: number }>();
    expect(rotated.resealed_values).toBe(1);
    expect((await hub.tryCli(["keys", "remove", readKeyId(oldToken)])).stderr).toContain(
      "HUB_ENC_KEY",
    );
    await Promise.all(loads.map((load) => load.goesOn(callsEach)));
    await Promise.all(loads.map((load) => load.stop()));
    for (const { calls } of loads) {
      expect(calls.filter(({ outcome }) => outcome !== "success")).toEqual([]);
    }
    newToken = await readToken(plain, rowId);
    expect(newToken).not.toBe(oldToken);
  }
  await using hub = await startWith([newKey]);
  await using client = await connectHttp(hub.url, adminToken);
  expect(await readToken(client, rowId)).toBe(newToken);
  expect((await whisper(client, rowId, newToken)()).isError).toBeFalse();
  expect((await whisper(client, rowId, oldToken)()).value).toMatchObject({ code: "token_invalid" });
  // Nothing of the environment's keys was written beside the database.
  expect((await readdir(dataDir)).filter((name) => name.startsWith("keys"))).toEqual([]);
});
