/** The clients of managers that have no server here, against answers as `facts` of their vendors have them. */
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import type { GuardedFetch } from "@hub/connector";
import { sourceSettingsSchema } from "@hub/contract/secret-source.ts";
import { createSourceClient } from "./create-client.ts";
import type { MachineAccess } from "./source-client.ts";
import { SourceFailure } from "./source-failure.ts";

type Sent = { url: string; method: string; headers: Headers; body: string };
type Answer = (sent: Sent) => Response | undefined;

function openClient(
  given: object,
  credentials: Record<string, string>,
  answer: Answer,
  variables: Record<string, string> = {},
) {
  const sent: Sent[] = [];
  const toFetch =
    (host: string | null): GuardedFetch =>
    async (input, init = {}) => {
      const request = new Request(String(input), { ...init, redirect: "manual" });
      const url = request.url;
      if (host !== null && new URL(url).host !== host) throw new Error(`${url} is not of ${host}`);
      if (host === null && url.includes("169.254.")) throw new Error(`${url} needs the machine`);
      const one = {
        url,
        method: request.method,
        headers: request.headers,
        body: await request.text(),
      };
      sent.push(one);
      return answer(one) ?? new Response("", { status: 404 });
    };
  const machine: MachineAccess = {
    readVariable: (name) => variables[name],
    readTokenFile: async (path) => `text of ${path}\n`,
    createMetadataFetch: (host) => toFetch(host),
  };
  const settings = sourceSettingsSchema.parse(given);
  const opening = createSourceClient(
    { fetch: toFetch(null), machine, now: Date.now },
    settings,
    credentials,
  );
  const read = async (path: string, field = "", version: string | null = null) => {
    try {
      const client = await opening;
      return await client.read({ path, field, version }, new AbortController().signal);
    } catch (thrown) {
      if (thrown instanceof SourceFailure) return thrown.kind;
      throw thrown;
    }
  };
  return { sent, read };
}

const json = (body: unknown, status = 200) => Response.json(body, { status });

test("Google: a key signs in at Google's own address, and the version is that of the name", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const account = { client_email: "a@b", private_key: key, token_uri: "https://attacker.example/" };
  const { read, sent } = openClient(
    { kind: "google", project: "p", auth: "key" },
    { service_account: JSON.stringify(account) },
    ({ url, headers }) => {
      if (url.startsWith("https://oauth2.googleapis.com/"))
        return json({ access_token: "t", expires_in: 3599 });
      if (headers.get("authorization") !== "Bearer t") return json({}, 401);
      if (url.includes("/none/")) return json({ error: { status: "NOT_FOUND" } }, 404);
      if (url.includes("/off/")) return json({ error: { status: "FAILED_PRECONDITION" } }, 400);
      if (url.includes("/denied/")) return json({ error: { status: "PERMISSION_DENIED" } }, 403);
      if (url.includes("/busy/")) return json({}, 429);
      return json({
        name: "projects/p/secrets/s/versions/7",
        payload: { data: btoa('{"a":"b"}') },
      });
    },
  );
  expect(await read("s", "a")).toEqual({ value: "b", version: "7" });
  expect([await read("none"), await read("off"), await read("denied"), await read("busy")]).toEqual(
    ["absent", "absent", "refused", "away"],
  );
  expect(sent.filter(({ url }) => url.includes("attacker"))).toEqual([]);
});

test("Google: the account of the machine comes from the metadata service alone", async () => {
  const { read, sent } = openClient(
    { kind: "google", project: "p", auth: "chain" },
    {},
    ({ url, headers }) =>
      url.includes("169.254")
        ? json({ access_token: headers.get("metadata-flavor"), expires_in: 100 })
        : json({ name: "x/1", payload: { data: btoa(headers.get("authorization") ?? "") } }),
  );
  expect(await read("s")).toEqual({ value: "Bearer Google", version: "1" });
  expect(sent.map(({ url }) => new URL(url).host)).toEqual([
    "169.254.169.254",
    "secretmanager.googleapis.com",
  ]);
});

test("Azure: the token is asked for at the cloud's own address, whatever the vault answers", async () => {
  const { read, sent } = openClient(
    { kind: "azure", vault: "v", auth: "client_secret", tenant: "t", client_id: "c" },
    { client_secret: "s" },
    ({ url, headers }) => {
      if (url.startsWith("https://login.microsoftonline.com/t/"))
        return json({ access_token: "a", expires_in: "3599" });
      if (url.includes("/none")) return json({ error: { code: "SecretNotFound" } }, 404);
      if (headers.get("authorization") !== "Bearer a" || url.includes("/denied")) {
        const challenge =
          'Bearer authorization="https://attacker.example/t", resource="https://vault.azure.net"';
        return new Response("{}", { status: 401, headers: { "www-authenticate": challenge } });
      }
      return json({ value: "secret", id: "https://v.vault.azure.net/secrets/s/abc" });
    },
  );
  expect(await read("s")).toEqual({ value: "secret", version: "abc" });
  expect([await read("none"), await read("denied")]).toEqual(["absent", "refused"]);
  expect(new Set(sent.map(({ url }) => new URL(url).host))).toEqual(
    new Set(["login.microsoftonline.com", "v.vault.azure.net"]),
  );
});

test("Azure: a workload sends the file of its pod, and a machine has an identity", async () => {
  const answer: Answer = ({ url, body }) =>
    url.includes("vault.azure.net/secrets")
      ? json({ value: "secret" })
      : json({ access_token: `t ${body}`, expires_in: 10 });
  const pod = openClient({ kind: "azure", vault: "v", auth: "workload" }, {}, answer, {
    AZURE_FEDERATED_TOKEN_FILE: "/token",
    AZURE_TENANT_ID: "t",
    AZURE_CLIENT_ID: "c",
  });
  expect(await pod.read("s")).toMatchObject({ value: "secret" });
  expect(pod.sent[0]?.body).toContain("client_assertion=text+of+%2Ftoken");
  const own = openClient({ kind: "azure", vault: "v", auth: "chain" }, {}, answer);
  expect(await own.read("s")).toMatchObject({ value: "secret" });
  expect(own.sent[0]?.headers.get("metadata")).toBe("true");
});

test("AWS: the chain takes variables, a web identity, the container, the machine, in this order", async () => {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const keysOf = (id: string) => ({
    AccessKeyId: id,
    SecretAccessKey: "s",
    Token: "t",
    Expiration: expires,
  });
  const answer: Answer = ({ url, method, headers }) => {
    if (url.endsWith("/latest/api/token")) return method === "PUT" ? new Response("v2") : undefined;
    if (url.endsWith("/security-credentials/")) {
      return headers.get("x-aws-ec2-metadata-token") === "v2" ? new Response("role") : undefined;
    }
    if (url.endsWith("/security-credentials/role")) return json(keysOf("machine"));
    if (url.startsWith("http://169.254.170.2/")) return json(keysOf("container"));
    if (url.startsWith("https://sts.eu-central-1.")) {
      const Credentials = {
        ...keysOf("web"),
        SessionToken: "t",
        Expiration: Date.now() / 1000 + 3600,
      };
      return json({
        AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials } },
      });
    }
    const id = /Credential=(\w+)\//.exec(headers.get("authorization") ?? "")?.[1];
    return json({ SecretString: id, VersionId: "1" });
  };
  const chain = { kind: "aws", region: "eu-central-1", auth: "chain" };
  const variables: Record<string, string>[] = [
    { AWS_ACCESS_KEY_ID: "given", AWS_SECRET_ACCESS_KEY: "s" },
    { AWS_WEB_IDENTITY_TOKEN_FILE: "/token", AWS_ROLE_ARN: "arn:aws:iam::1:role/r" },
    { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/x" },
    {},
  ];
  const values: unknown[] = [];
  for (const given of variables) values.push(await openClient(chain, {}, answer, given).read("s"));
  expect(values).toEqual(
    ["given", "web", "container", "machine"].map((value) => ({ value, version: "1" })),
  );
  const elsewhere = openClient(chain, {}, answer, {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.0.0.1/x",
  });
  expect(await elsewhere.read("s")).toBe("refused");
  expect(elsewhere.sent).toEqual([]);
});

test("AWS: the type of an error says what it is, not the status", async () => {
  const types = [
    "ResourceNotFoundException",
    "AccessDeniedException",
    "ThrottlingException",
    "Odd",
  ];
  const { read } = openClient(
    { kind: "aws", region: "eu-central-1", auth: "keys" },
    { access_key_id: "a", secret_access_key: "s" },
    ({ body }) => json({ __type: `com.amazonaws#${JSON.parse(body).SecretId}` }, 400),
  );
  const kinds: unknown[] = [];
  for (const type of types) kinds.push(await read(type));
  expect(kinds).toEqual(["absent", "refused", "away", "bad"]);
});

test("1Password Connect: names are looked up, and two of one name are refused", async () => {
  const item = {
    version: 3,
    sections: [{ id: "sec", label: "Server" }],
    fields: [
      { id: "f1", label: "password", purpose: "PASSWORD", value: "main" },
      { id: "f2", label: "token", section: { id: "sec" }, value: "in section" },
      { id: "f3", label: "token", value: "beside" },
    ],
  };
  const { read } = openClient(
    { kind: "onepassword_connect", address: "https://connect.example.com" },
    { token: "t" },
    ({ url, headers }) => {
      if (headers.get("authorization") !== "Bearer t") return json({}, 401);
      const { pathname } = new URL(url);
      // A server that ignores the filter.
      if (pathname === "/v1/vaults")
        return json([
          { id: "v1", name: "Ops" },
          { id: "v2", name: "Other" },
        ]);
      if (pathname === "/v1/vaults/v1/items") {
        return json(["Tracker", "Twice", "Twice"].map((title, at) => ({ id: `i${at}`, title })));
      }
      return pathname === "/v1/vaults/v1/items/i0" ? json(item) : undefined;
    },
  );
  expect(await read("Ops/Tracker")).toEqual({ value: "main", version: "3" });
  expect(await read("Ops/Tracker", "Server/token")).toMatchObject({ value: "in section" });
  expect([
    await read("Ops/Tracker", "token"),
    await read("Ops/Twice"),
    await read("None/Tracker"),
    await read("Ops/None"),
  ]).toEqual(["absent", "absent", "absent", "absent"]);
});

test("Infisical: a hidden value is a refusal, and references between secrets are not followed", async () => {
  const { read, sent } = openClient(
    { kind: "infisical", address: "https://i.example.com", project: "p", environment: "dev" },
    { client_id: "a", client_secret: "b" },
    ({ url, method }) => {
      if (method === "POST") return json({ accessToken: "t", expiresIn: 100 });
      if (url.includes("/HIDDEN?")) {
        return json({ secret: { secretValue: "<hidden>", secretValueHidden: true } });
      }
      return url.includes("/NONE?")
        ? json({}, 404)
        : json({ secret: { secretValue: "v", version: 2 } });
    },
  );
  expect(await read("folder/sub/KEY")).toEqual({ value: "v", version: "2" });
  const asked = new URL(sent[1]?.url ?? "").searchParams;
  expect([asked.get("secretPath"), asked.get("expandSecretReferences")]).toEqual([
    "/folder/sub",
    "false",
  ]);
  expect([await read("HIDDEN"), await read("NONE")]).toEqual(["refused", "absent"]);
});

test("1Password's service accounts name the package that they need", async () => {
  const { read } = openClient({ kind: "onepassword" }, { token: "t" }, () => undefined);
  expect(await read("vault/item")).toBe("bad");
});
