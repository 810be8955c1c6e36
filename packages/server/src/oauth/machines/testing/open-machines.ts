import { hashToken } from "../../../identity/authenticate-bearer.ts";
import { insertMachineClient } from "../../../store/machines/machine-clients-table.ts";
import {
  insertTrustedIssuer,
  type NewTrustedIssuer,
} from "../../../store/machines/trusted-issuers-table.ts";
import { newUser } from "../../../store/test-data.ts";
import { insertIdentity } from "../../../store/users/identities-table.ts";
import { insertUser } from "../../../store/users/users-table.ts";
import { openTestServer } from "../../testing/open-test-server.ts";
import { openIssuer } from "./open-issuer.ts";

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const clientId = "11111111-2222-4333-8444-555555555555";
export const clientSecret = "hub_ms_secret";

/** An authorization server with a service user, a client of it, and a trusted issuer that runs. */
export async function openMachines() {
  const hub = await openTestServer();
  const issuer = await openIssuer();
  const { db } = hub.store;
  const createdAt = hub.clock.time;
  const robot = await insertUser(db, {
    ...newUser({ email: "ci@service.invalid", name: "ci" }),
    service: { ownerId: hub.user.id },
  });
  const made = { bounds: null, createdBy: "ada@example.com", createdAt };
  await insertMachineClient(db, {
    ...made,
    id: clientId,
    name: "CI",
    userId: robot.id,
    auth: "client_secret",
    secretHash: hashToken(clientSecret),
    jwks: null,
    expiresAt: null,
  });
  const trust = async (given: Partial<NewTrustedIssuer>) => {
    const id = crypto.randomUUID();
    const workload = { kind: "workload", userId: robot.id, name: "Builds" } as const;
    const plain = { issuer: issuer.issuer, jwksUri: null, audience: null };
    const conditions = [{ claim: "sub", value: "repo:acme/site" }];
    await insertTrustedIssuer(db, { ...made, ...plain, ...workload, conditions, id, ...given });
    return id;
  };
  return {
    ...hub,
    issuer,
    robot,
    trust,
    /** Says who Ada is at the issuer. */
    link: async (subject: string) =>
      await insertIdentity(db, {
        id: crypto.randomUUID(),
        userId: hub.user.id,
        issuer: issuer.issuer,
        subject,
        email: "ada@example.com",
        createdAt,
        lastUsedAt: createdAt,
      }),
    /** Sends a token request, as a form has it. */
    async ask(
      params: Record<string, string> | URLSearchParams,
      {
        authorization = null,
        ip = "192.0.2.1",
      }: { authorization?: string | null; ip?: string } = {},
    ) {
      const response = await hub.server.answerMachine(new URLSearchParams(params), {
        authorization,
        ip,
      });
      if (response === null) throw new Error("No program may get a token");
      const body: Record<string, unknown> = Object(await response.json());
      const { access_token: token } = body;
      const owner =
        typeof token === "string"
          ? await hub.store.reads.findOAuthTokenOwner(hashToken(token))
          : null;
      return { status: response.status, body, owner };
    },
    async [Symbol.asyncDispose]() {
      await issuer.stop();
      await hub[Symbol.asyncDispose]();
    },
  };
}

export const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
