import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { chooseField } from "../choose-field.ts";
import { createKeptSession, type Session } from "../kept-session.ts";
import { readMember, readText, requestJson } from "../request-json.ts";
import type { ClientDeps, ReadSecret, SecretAddress, SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

type InfisicalSettings = Extract<SourceSettings, { kind: "infisical" }>;
type InfisicalCredentials = { client_id?: string; client_secret?: string };

/** Infisical, by universal authentication. The last part of the path is the secret's name, the others are folders. */
export function createInfisicalClient(
  { fetch, now }: ClientDeps,
  { address, project, environment }: InfisicalSettings,
  credentials: InfisicalCredentials,
): SourceClient {
  const base = address.replace(/\/+$/, "");
  const session = createKeptSession<string>(now, signIn);

  async function signIn(signal: AbortSignal): Promise<Session<string>> {
    const { status, body } = await requestJson(fetch, {
      url: `${base}/api/v1/auth/universal-auth/login`,
      method: "POST",
      body: {
        clientId: credentials.client_id ?? "",
        clientSecret: credentials.client_secret ?? "",
      },
      signal,
    });
    const token = readText(body, "accessToken");
    if (status !== 200 || token === null) {
      throw new SourceFailure("refused", `Infisical refused the hub's client (status ${status})`);
    }
    const lastsS = Number(readMember(body, "expiresIn") ?? 0);
    return { value: token, until: lastsS > 0 ? now() + lastsS * 1000 : null };
  }

  async function readOnce(
    token: string,
    { path, field, version }: SecretAddress,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    const parts = path.split("/");
    const query = new URLSearchParams({
      workspaceId: project,
      environment,
      secretPath: `/${parts.slice(0, -1).join("/")}`,
      // Off: a secret could name others, outside of the prefixes.
      expandSecretReferences: "false",
      includeImports: "false",
      viewSecretValue: "true",
      ...(version !== null && { version }),
    });
    const { status, body } = await requestJson(fetch, {
      url: `${base}/api/v3/secrets/raw/${encodeURIComponent(parts.at(-1) ?? "")}?${query}`,
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status === 401 || status === 403) {
      throw new SourceFailure(
        "refused",
        `Infisical refused the hub this secret (status ${status})`,
      );
    }
    if (status === 404) throw new SourceFailure("absent", "Infisical has no such secret");
    const value = readText(body, "secret", "secretValue");
    if (status !== 200 || value === null) {
      throw new SourceFailure("bad", `Infisical answered status ${status} without a value`);
    }
    // Without the right to read values, a placeholder comes in the place of one.
    if (readMember(body, "secret", "secretValueHidden") === true) {
      throw new SourceFailure(
        "refused",
        "Infisical does not show the hub the value of this secret",
      );
    }
    const number = readMember(body, "secret", "version");
    return {
      value: chooseField(value, field),
      version: typeof number === "number" ? String(number) : null,
    };
  }

  return {
    read: (asked, signal) => session.use(signal, (token) => readOnce(token, asked, signal)),
  };
}
