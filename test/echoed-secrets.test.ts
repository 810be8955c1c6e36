/**
 * Protects: only the outside system gets the plaintext of a secret. If it echoes the secret, the client, the
 * audit, the log and the database contain only value tokens.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Glob } from "bun";
import { readAudit, readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { type EchoServer, startEchoServer } from "./support/echo-server.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { readDatabaseParts } from "./support/read-database-parts.ts";
import { toEncodings } from "./support/secret-encodings.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const encrypted = /hub_enc_[\w-]{20,}/;

describe.each([
  ["with letters and digits", "ghp_Zq81mWc4Tn7Xb2Rk9Ld3Vf6Hs5Jp0Gy"],
  ["with characters that JSON, HTML and URLs escape", `p"w\\d<0>&'x/y+z=%41?é§`],
])("A row's secret %s", (_, secret) => {
  const owned = new AsyncDisposableStack();
  const echoes = toEncodings(secret);
  let hub: RunningHub;
  let outside: EchoServer;
  let ada: TestClient;
  let bob: TestClient;
  let rowId: string;

  beforeAll(async () => {
    outside = owned.use(startEchoServer());
    hub = owned.use(await startHub({ isHere: true, env: { HUB_LOG_LEVEL: "trace" } }));
    const added = await hub.tryCli(
      [
        ...["row", "add", "http", "--label", "Outside", "--tag", "outside", "--json"],
        ...["--set", `base_url=${outside.url}`, "--set", "auth_mode=bearer"],
        ...["--secret-env", "token=OUTSIDE_TOKEN"],
      ],
      { env: { OUTSIDE_TOKEN: secret } },
    );
    if (added.exitCode !== 0) throw new Error(added.stderr);
    rowId = added.json<{ id: string }>().id;
    const [first, second] = [
      await hub.addUser("ada@example.com", { tags: ["outside"] }),
      await hub.addUser("bob@example.com", { tags: ["outside"] }),
    ];
    ada = owned.use(await connectHttp(hub.url, first.token));
    bob = owned.use(await connectHttp(hub.url, second.token));
  });

  afterAll(() => owned.disposeAsync());

  const get = (client: TestClient, path: string) => client.execute(`conn:${rowId}/get`, { path });

  const findToken = async (client: TestClient): Promise<string> => {
    const { value } = await get(client, "/echo");
    return encrypted.exec(value.body.headers.authorization)?.[0] ?? "";
  };

  test("A row's secret reaches the outside system as plaintext", async () => {
    await get(ada, "/echo");
    expect(outside.received.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  test.each([
    "/echo",
    "/url",
    "/base64",
    "/key",
    "/text",
    "/error",
  ])("A secret that %s echoes is a value token for the client and in the audit", async (path) => {
    const answer = await get(ada, path);
    expect(outside.received.at(-1)?.path).toBe(path);
    const run = readLastRun(hub.dataDir);
    expect(run).toMatchObject({ connector_id: rowId, operation_key: "get" });
    const seen = [answer.text, JSON.stringify(answer.structured ?? null), JSON.stringify(run)];
    for (const text of seen) {
      for (const echo of echoes) expect(text).not.toContain(echo);
    }
    expect(answer.text).toMatch(encrypted);
    expect(`${run.response}${run.error_msg}`).toMatch(encrypted);
  });

  test("Each user gets their own value token of a secret, the same in every reply", async () => {
    const token = await findToken(ada);
    expect(await findToken(ada)).toBe(token);
    expect(await findToken(bob)).not.toBe(token);
  });

  test("A value token in params reaches the outside system as plaintext, also inside text and nested", async () => {
    const token = await findToken(ada);
    const body = {
      whole: token,
      inside: `Bearer ${token}`,
      between: `<${token}-prod>`,
      nested: [{ deep: [[token]] }],
      prose: "hub_enc_ is a prefix",
    };
    const answer = await ada.execute(`conn:${rowId}/post`, {
      path: "/echo",
      query: { key: token },
      headers: { "x-second": `Token ${token}` },
      body,
    });
    expect(answer.isError).toBeFalse();

    const reached = outside.received.at(-1);
    expect(JSON.parse(reached?.body ?? "")).toEqual({
      whole: secret,
      inside: `Bearer ${secret}`,
      between: `<${secret}-prod>`,
      nested: [{ deep: [[secret]] }],
      prose: "hub_enc_ is a prefix",
    });
    expect(reached?.query).toEqual({ key: secret });
    expect(reached?.headers["x-second"]).toBe(`Token ${secret}`);

    expect(JSON.parse(readLastRun(hub.dataDir).request ?? "").body).toEqual(body);
    for (const echo of echoes) expect(answer.text).not.toContain(echo);
  });

  test("A call with another user's value token is refused before the outside system is called", async () => {
    const token = await findToken(ada);
    const before = outside.received.length;
    for (const body of [token, `Bearer ${token}`, [[token]]]) {
      const answer = await bob.execute(`conn:${rowId}/post`, { path: "/echo", body });
      expect(answer).toMatchObject({ isError: true, value: { code: "token_invalid" } });
    }
    expect(outside.received).toHaveLength(before);
  });

  test("A value that the user encrypted is masked in the reply", async () => {
    const { stdout } = await hub.tryCli(["encrypt", "--user", "ada@example.com"], {
      stdin: "typed-by-the-user-9731",
    });
    const token = stdout.trim();
    const answer = await ada.execute(`conn:${rowId}/post`, { path: "/echo", body: { token } });
    expect(outside.received.at(-1)?.body).toContain("typed-by-the-user-9731");
    expect(answer.text).not.toContain("typed-by-the-user-9731");
    expect(answer.text).toContain(token);
  });

  test("The log, the audit and the data folder do not contain the secret", async () => {
    await Promise.all(["/echo", "/base64", "/error", "/nowhere"].map((path) => get(ada, path)));
    const runs = JSON.stringify(readAudit(hub.dataDir));
    const dataFiles = await Array.fromAsync(
      new Glob("**").scan({ cwd: hub.dataDir, absolute: true }),
    );
    const contents = [
      ...(await Promise.all(dataFiles.map((file) => Bun.file(file).bytes()))),
      ...readDatabaseParts(hub.dataDir).map(({ bytes }) => bytes),
    ];
    expect(contents.length).toBeGreaterThan(0);
    for (const echo of echoes) {
      expect(hub.stdout() + hub.stderr()).not.toContain(echo);
      expect(runs).not.toContain(echo);
      for (const bytes of contents) expect(Buffer.from(bytes).includes(echo)).toBeFalse();
    }
  });
});
