/**
 * Protects: the data folder, the log and unrelated replies do not contain a valid token, code, session or
 * password in plaintext. One hub gets a secret of every kind. Then all its output and files are searched.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { startEchoServer } from "./support/echo-server.ts";
import { findFreePort } from "./support/free-port.ts";
import { openOAuthFixture } from "./support/oauth-fixture.ts";
import { startOpenIdProvider } from "./support/openid-provider.ts";
import { queryDatabase } from "./support/query-database.ts";
import { type DatabasePart, readDatabaseParts } from "./support/read-database-parts.ts";
import { type RecordedPart, recordReplies } from "./support/record-replies.ts";
import { findSecrets, toSecretForms } from "./support/secret-forms.ts";
import {
  connectApplications,
  createPersonalTokens,
  signInAtProvider,
  signInWithPasswords,
} from "./support/secrets/create-credentials.ts";
import {
  createSecretRegistry,
  type Kind,
  kinds,
  type SecretFixture,
} from "./support/secrets/secret-registry.ts";
import {
  addSecretsOfReplies,
  callRows,
  encryptAndDecrypt,
  openAllPages,
  sendInWrongFields,
  type ValidSecrets,
} from "./support/secrets/use-credentials.ts";
import { testEncKey, usesPostgres } from "./support/test-database.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
const registry = createSecretRegistry();
let fixture: SecretFixture;
let valid: ValidSecrets;
/** Replies to requests with a credential in a wrong field. */
let misplacedReplies: RecordedPart[];

beforeAll(async () => {
  const port = await findFreePort();
  const base = `http://localhost:${port}`;
  const record = owned.use(recordReplies(() => [base, `http://127.0.0.1:${port}`]));
  const redirectUris = [`${base}/auth/sso/callback`];
  const provider = owned.use(await startOpenIdProvider({ redirectUris }));
  const env = {
    HUB_PORT: String(port),
    HUB_LOG_LEVEL: "trace",
    HUB_OIDC_ISSUER: provider.issuer,
    HUB_OIDC_CLIENT_ID: provider.clientId,
    HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
    HUB_OIDC_NEW_USERS: "active",
  };
  const oauth = owned.use(await openOAuthFixture({ env }));
  const manageToken = await oauth.hub.makeManageToken();
  registry.add("personal token", manageToken);
  fixture = { oauth, manageToken, provider, record, registry };
  registry.add("client secret of single sign-on", provider.clientSecret);
  const signedIn = await signInWithPasswords(fixture);
  await createPersonalTokens(signedIn);
  const access = await connectApplications(signedIn);
  await signInAtProvider(fixture);
  const rowId = await callRows(fixture, owned.use(startEchoServer()));
  await encryptAndDecrypt(signedIn);
  const session = signedIn.browser.cookie("hub_session") ?? "";
  valid = { session, pat: oauth.hub.adminToken(), access };
  misplacedReplies = await sendInWrongFields(fixture, valid, rowId);
  await openAllPages(signedIn);
  addSecretsOfReplies(fixture);
});
afterAll(() => owned.disposeAsync());

test("The fixture creates a secret of every kind", async () => {
  registry.add("master key", ...(await readKeys(fixture.oauth.hub.dataDir)));
  const createdKinds = registry.entries().map(([kind]) => kind);
  expect(createdKinds.toSorted()).toEqual(Object.keys(kinds).toSorted() as Kind[]);
});

const findParts = (parts: readonly RecordedPart[], texts: ReadonlySet<string>) => [
  ...new Set(
    parts
      .filter(({ text }) => findSecrets(Buffer.from(text), texts).length > 0)
      .map(({ label }) => label),
  ),
];

test("Replies contain a secret only if their purpose is to return it", () => {
  // The test above adds the master key.
  expect(registry.entries().length).toBeGreaterThanOrEqual(Object.keys(kinds).length - 1);
  for (const [kind, texts] of registry.entries()) {
    const others = findParts(fixture.record.parts, texts).filter(
      (label) => !kinds[kind]?.test(label),
    );
    expect([kind, others]).toEqual([kind, []]);
  }
});

test("A credential in the wrong field of a request is returned only where the answer quotes the request", () => {
  const found = findParts(misplacedReplies, new Set(Object.values(valid)));
  expect(found.toSorted()).toEqual([
    // The next address after sign-in.
    "GET /auth/login body",
    "GET /profile location",
    // An unknown tool.
    "POST /mcp body",
  ]);
});

describe("Secrets at rest", () => {
  test("No file and no output of a running hub contains a secret in any encoding", async () => {
    expect(await scanHub(fixture.oauth.hub.dataDir)).toEqual([]);
    expect(findSecrets(Buffer.from(fixture.oauth.hub.stderr()), registry.all())).toEqual([]);
  });

  test("No file and no output of a stopped hub contains a secret in any encoding", async () => {
    await fixture.oauth.hub.stop();
    expect(await scanHub(fixture.oauth.hub.dataDir)).toEqual([]);
    const log = fixture.oauth.hub.stderr();
    expect(log.split("\n").length).toBeGreaterThan(3);
    expect(findSecrets(Buffer.from(log), registry.all())).toEqual([]);
    expect(log).not.toMatch(/eyJ[\w-]{10,}\.eyJ/);
    const firstSecrets = new Set([
      fixture.oauth.hub.adminToken(),
      registry.of("one-time password")[0] ?? "",
    ]);
    const others = registry.all().difference(firstSecrets);
    expect(findSecrets(Buffer.from(fixture.oauth.hub.stdout()), others)).toEqual([]);
  });

  test("The database contains the hashes of the valid secrets, so the search covers the right folder", async () => {
    const parts = (await readParts(fixture.oauth.hub.dataDir)).map(({ bytes }) => bytes);
    expect(Object.keys(valid)).toEqual(["session", "pat", "access"]);
    for (const [kind, token] of Object.entries(valid)) {
      const hash = createHash("sha256").update(token).digest();
      expect([kind, Buffer.concat(parts).includes(hash)]).toEqual([kind, true]);
    }
  });

  test("The search finds every encoding of a secret, and secrets in the database", async () => {
    for (const secret of registry.all()) {
      for (const [name, form] of Object.entries(toSecretForms(secret))) {
        const bytes = Buffer.concat([Buffer.from([0, 255]), form, Buffer.from([255, 0])]);
        expect(findSecrets(bytes, new Set([secret]))).toContain(`${secret}, ${name}`);
      }
    }
    // The hub of these tests has stopped.
    const { dataDir } = fixture.oauth.hub;
    const secrets = [...registry.all()];
    const literal = `'${secrets.join(" ").replaceAll("'", "''")}'`;
    queryDatabase(dataDir, `update users set name = ${literal} where role = 'admin'`);
    const found = (await scanHub(dataDir)).join("\n");
    for (const secret of secrets) expect(found).toContain(`: ${secret}, plain`);
  });
});

async function readKeys(dataDir: string): Promise<string[]> {
  if (usesPostgres) return [testEncKey];
  return Object(await Bun.file(join(dataDir, "keys.json")).json()).keys;
}

/** Searches what a hub keeps. */
async function scanHub(dataDir: string): Promise<string[]> {
  const parts = await readParts(dataDir);
  expect(parts.length).toBeGreaterThan(0);
  return parts.flatMap(({ name, bytes }) =>
    findSecrets(bytes, registry.all()).map((secret) => `${name}: ${secret}`),
  );
}

/** All files of the data folder except the key file, and its database. */
async function readParts(dataDir: string): Promise<DatabasePart[]> {
  const parts = readDatabaseParts(dataDir);
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name !== "keys.json")) {
    const bytes = await Bun.file(join(entry.parentPath, entry.name)).bytes();
    parts.push({ name: entry.name, bytes });
  }
  return parts;
}
