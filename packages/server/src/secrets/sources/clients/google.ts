import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { importPKCS8, SignJWT } from "jose";
import { chooseField } from "../choose-field.ts";
import { createKeptSession, type Session } from "../kept-session.ts";
import { readMember, readText, requestJson } from "../request-json.ts";
import type { ClientDeps, ReadSecret, SecretAddress, SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

type GoogleSettings = Extract<SourceSettings, { kind: "google" }>;
type GoogleCredentials = { service_account?: string };

/** Not the address in the key's file: the one who writes the file would get what the key signs. */
const tokenAddress = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const metadataHost = "169.254.169.254";

/** Google Cloud Secret Manager. */
export function createGoogleClient(
  { fetch, now, machine }: ClientDeps,
  { project, location, auth }: GoogleSettings,
  credentials: GoogleCredentials,
): SourceClient {
  const host = location === "" ? "" : `.${location}.rep`;
  const base = `https://secretmanager${host}.googleapis.com/v1/projects/${encodeURIComponent(project)}`;
  const place = location === "" ? "" : `/locations/${location}`;
  const session = createKeptSession<string>(now, (signal) =>
    auth === "chain" ? openByMachine(signal) : openByKey(signal),
  );

  async function openByKey(signal: AbortSignal): Promise<Session<string>> {
    const { email, key } = readServiceAccount(credentials.service_account ?? "");
    const seconds = Math.floor(now() / 1000);
    const assertion = await importPKCS8(key, "RS256")
      .then((imported) =>
        new SignJWT({ scope })
          .setProtectedHeader({ alg: "RS256", typ: "JWT" })
          .setIssuer(email)
          .setAudience(tokenAddress)
          .setIssuedAt(seconds)
          .setExpirationTime(seconds + 3600)
          .sign(imported),
      )
      .catch(() => {
        throw new SourceFailure("refused", "the key of the service account cannot be read");
      });
    const answer = await requestJson(fetch, {
      url: tokenAddress,
      method: "POST",
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
      }),
      signal,
    });
    return toSession(answer.status, answer.body);
  }

  async function openByMachine(signal: AbortSignal): Promise<Session<string>> {
    const answer = await requestJson(machine.createMetadataFetch(metadataHost), {
      url: `http://${metadataHost}/computeMetadata/v1/instance/service-accounts/default/token`,
      headers: { "metadata-flavor": "Google" },
      signal,
    });
    return toSession(answer.status, answer.body);
  }

  function toSession(status: number, body: unknown): Session<string> {
    const token = readText(body, "access_token");
    if (status !== 200 || token === null) {
      throw new SourceFailure("refused", `Google refused the hub's account (status ${status})`);
    }
    const lastsS = Number(readMember(body, "expires_in") ?? 0);
    return { value: token, until: lastsS > 0 ? now() + lastsS * 1000 : null };
  }

  async function readOnce(
    token: string,
    { path, field, version }: SecretAddress,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    const secret = encodeURIComponent(path);
    const chosen = encodeURIComponent(version ?? "latest");
    const { status, body } = await requestJson(fetch, {
      url: `${base}${place}/secrets/${secret}/versions/${chosen}:access`,
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status === 401 || status === 403) {
      throw new SourceFailure("refused", `Google refused the hub this secret (status ${status})`);
    }
    if (status === 404) throw new SourceFailure("absent", "Google has no such secret or version");
    // The newest version can be a disabled one.
    if (readText(body, "error", "status") === "FAILED_PRECONDITION") {
      throw new SourceFailure("absent", "the version of the secret is disabled or destroyed");
    }
    const data = readText(body, "payload", "data");
    if (status !== 200 || data === null) {
      throw new SourceFailure("bad", `Google answered status ${status} without a value`);
    }
    const text = Buffer.from(data, "base64").toString("utf8");
    const found = readText(body, "name")?.split("/").at(-1) ?? null;
    return { value: chooseField(text, field), version: found };
  }

  return {
    read: (address, signal) => session.use(signal, (token) => readOnce(token, address, signal)),
  };
}

function readServiceAccount(text: string): { email: string; key: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  const email = readText(parsed, "client_email");
  const key = readText(parsed, "private_key");
  if (email !== null && key !== null) return { email, key };
  throw new SourceFailure("refused", "the key file of the service account is not one");
}
