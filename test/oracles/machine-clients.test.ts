/** Programs get tokens without a browser, by the providers of the MCP SDK: `packages/server/src/oauth/machines/`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  Client,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { commandLineActor } from "../../packages/server/src/identity/local-admin.ts";
import { openIssuer } from "../../packages/server/src/oauth/machines/testing/open-issuer.ts";
import {
  addMachineClient,
  removeMachineClient,
} from "../../packages/server/src/services/machines/manage-machine-clients.ts";
import {
  addServiceUser,
  changeServiceUser,
} from "../../packages/server/src/services/machines/manage-service-users.ts";
import { addTrustedIssuer } from "../../packages/server/src/services/machines/manage-trusted-issuers.ts";
import { insertIdentity } from "../../packages/server/src/store/users/identities-table.ts";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";

setDefaultTimeout(120_000);

let hub: ApiHub;
/** The address that the hub calls itself. */
let base: string;
let issuer: Awaited<ReturnType<typeof openIssuer>>;
let ada: Awaited<ReturnType<ApiHub["addUser"]>>;
let robot: string;

beforeAll(async () => {
  issuer = await openIssuer();
  hub = await openApiHub({ HUB_OUTBOUND_ALLOW: "127.0.0.1" });
  base = hub.url.replace("127.0.0.1", "localhost");
  ada = await hub.addUser("ada@example.com", { tags: ["builds"] });
  await hub.addRow("Builds", ["builds"]);
  await hub.addRow("Hidden", ["other"]);
  const input = { name: "deploy-bot", owner: ada.user.id, tags: ["builds", "other"] };
  robot = (await addServiceUser(hub.hub.services, commandLineActor, input)).id;
});
afterAll(async () => {
  await issuer.stop();
  await hub[Symbol.asyncDispose]();
});

/** What the client's user sees and who it is. */
async function connect(authProvider: OAuthClientProvider) {
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider });
  const client = new Client({ name: "program", version: "1" });
  await client.connect(transport);
  try {
    const listed = await client.callTool({ name: "hub_list", arguments: {} });
    const text = JSON.stringify(listed);
    const whoami = /conn:[0-9a-f-]{36}\/whoami/.exec(text)?.[0];
    const called = await client.callTool({
      name: "hub_execute",
      arguments: { tool_id: whoami, params: {} },
    });
    return { listed: text, called: JSON.stringify(called) };
  } finally {
    await client.close();
  }
}

const register = (input: object = {}) =>
  addMachineClient(hub.hub.services, commandLineActor, {
    name: "CI",
    serviceUser: robot,
    ...input,
  });

test("ClientCredentialsProvider connects as the service user, which sees what its owner sees too", async () => {
  const { id, client_secret: secret } = await register();
  const provider = () =>
    new ClientCredentialsProvider({
      clientId: id,
      clientSecret: secret ?? "",
      expectedIssuer: base,
    });
  const { listed, called } = await connect(provider());
  expect(called).toContain("deploy-bot@service.invalid");
  expect(listed).toContain("Builds");
  expect(listed).not.toContain("Hidden");
  await changeServiceUser(hub.hub.services, commandLineActor, robot, { status: "disabled" });
  await expect(connect(provider())).rejects.toThrow();
  await changeServiceUser(hub.hub.services, commandLineActor, robot, { status: "active" });
  expect((await connect(provider())).called).toContain("deploy-bot");
  await removeMachineClient(hub.hub.services, commandLineActor, id);
  await expect(connect(provider())).rejects.toThrow();
});

test("PrivateKeyJwtProvider connects with a key of its own", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwks = { ...(await exportJWK(publicKey)), alg: "ES256" };
  const { id } = await register({ auth: "private_key_jwt", jwks });
  const options = { clientId: id, algorithm: "ES256", expectedIssuer: base };
  const own = new PrivateKeyJwtProvider({ ...options, privateKey: await exportPKCS8(privateKey) });
  expect((await connect(own)).called).toContain("deploy-bot@service.invalid");
  const stranger = await generateKeyPair("ES256", { extractable: true });
  const key = await exportPKCS8(stranger.privateKey);
  await expect(
    connect(new PrivateKeyJwtProvider({ ...options, privateKey: key })),
  ).rejects.toThrow();
});

test("CrossAppAccessProvider connects as the user whom the company's provider names", async () => {
  const subject = "ada-at-the-company";
  await insertIdentity(hub.store.db, {
    id: crypto.randomUUID(),
    userId: ada.user.id,
    issuer: issuer.issuer,
    subject,
    email: "ada@example.com",
    createdAt: Date.now(),
    lastUsedAt: Date.now(),
  });
  await addTrustedIssuer(hub.hub.services, commandLineActor, {
    name: "Company",
    issuer: issuer.issuer,
    kind: "id_jag",
  });
  const { id, client_secret: secret } = await register({ serviceUser: undefined });
  const asked: unknown[] = [];
  const open = (sub: string) =>
    new CrossAppAccessProvider({
      clientId: id,
      clientSecret: secret ?? "",
      expectedIssuer: base,
      async assertion({ authorizationServerUrl, resourceUrl }) {
        asked.push([authorizationServerUrl, resourceUrl]);
        const claims = { sub, client_id: id, jti: crypto.randomUUID(), scope: "mcp" };
        return await issuer.sign(
          { ...claims, aud: base, resource: resourceUrl },
          { at: Date.now(), typ: "oauth-id-jag+jwt" },
        );
      },
    });
  expect((await connect(open(subject))).called).toContain("ada@example.com");
  expect(asked[0]).toEqual([base, `${base}/mcp`]);
  await expect(connect(open("a-stranger"))).rejects.toThrow();
});
