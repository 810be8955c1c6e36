import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { toSecretText } from "../choose-field.ts";
import { createKeptSession, type Session } from "../kept-session.ts";
import { type JsonAnswer, readMember, readText, requestJson } from "../request-json.ts";
import type { ClientDeps, ReadSecret, SecretAddress, SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

type VaultSettings = Extract<SourceSettings, { kind: "vault" }>;
export type VaultCredentials = { token?: string; secret_id?: string; jwt?: string };

/** Where Kubernetes puts the token of a pod. It is replaced before it ends, so it is read for each sign-in. */
const podTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** Vault and OpenBao, secrets engine KV of versions 1 and 2. */
export function createVaultClient(
  { fetch, now, machine }: ClientDeps,
  settings: VaultSettings,
  credentials: VaultCredentials,
): SourceClient {
  const base = settings.address.replace(/\/+$/, "");
  const common = {
    // Answers of a standby that has not seen the last write are asked for again by the manager itself.
    "x-vault-request": "true",
    ...(settings.namespace !== "" && { "x-vault-namespace": settings.namespace }),
  };
  const session = createKeptSession(now, signIn);

  async function signIn(signal: AbortSignal): Promise<Session<string>> {
    if (settings.auth === "token") return { value: credentials.token ?? "", until: null };
    const mount = encodePath(settings.auth_mount || settings.auth);
    const answer = await requestJson(fetch, {
      url: `${base}/v1/auth/${mount}/login`,
      method: "POST",
      headers: common,
      body: await toLogin(),
      signal,
    });
    const token = readText(answer.body, "auth", "client_token");
    if (answer.status !== 200 || token === null) {
      throw new SourceFailure(
        "refused",
        `the manager refused the sign-in by ${settings.auth} (status ${answer.status})`,
      );
    }
    const lastsS = Number(readMember(answer.body, "auth", "lease_duration") ?? 0);
    return { value: token, until: lastsS > 0 ? now() + lastsS * 1000 : null };
  }

  async function toLogin(): Promise<Record<string, unknown>> {
    const { auth, role } = settings;
    if (auth === "approle") return { role_id: role, secret_id: credentials.secret_id ?? "" };
    if (auth === "jwt") return { role, jwt: credentials.jwt ?? "" };
    return { role, jwt: (await machine.readTokenFile(podTokenFile)).trim() };
  }

  async function readOnce(
    token: string,
    { path, field, version }: SecretAddress,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    const isSecond = settings.kv_version === 2;
    const address = `${encodePath(settings.kv_mount)}/${isSecond ? "data/" : ""}${encodePath(path)}`;
    const query = isSecond && version !== null ? `?version=${encodeURIComponent(version)}` : "";
    const answer = await requestJson(fetch, {
      url: `${base}/v1/${address}${query}`,
      headers: { ...common, "x-vault-token": token },
      signal,
    });
    checkStatus(answer);
    const data = isSecond
      ? readMember(answer.body, "data", "data")
      : readMember(answer.body, "data");
    if (typeof data !== "object" || data === null) {
      throw new SourceFailure(
        "absent",
        "the manager has no such secret, or its version was deleted",
      );
    }
    const number = isSecond ? readMember(answer.body, "data", "metadata", "version") : null;
    const value = field === "" ? toOnlyField(data) : toSecretText(readMember(data, field));
    return { value, version: typeof number === "number" ? String(number) : null };
  }

  return {
    read: (address, signal) => session.use(signal, (token) => readOnce(token, address, signal)),
  };
}

function checkStatus({ status, body }: JsonAnswer): void {
  if (status === 200) return;
  if (status === 404) {
    throw new SourceFailure("absent", "the manager has no such secret, or its version was deleted");
  }
  // A replica that has not seen the last write, and a wrapped or sealed one.
  if (status === 412 || status === 472 || status === 473) {
    throw new SourceFailure("away", `the manager answered ${status}`);
  }
  if (status === 401 || status === 403 || status === 400) {
    throw new SourceFailure(
      "refused",
      `the manager refused the hub this secret (status ${status})`,
    );
  }
  const isError = Array.isArray(readMember(body, "errors"));
  throw new SourceFailure(
    "bad",
    `the manager answered ${status}${isError ? "" : " without a reason"}`,
  );
}

/** A secret with one member needs no field. */
function toOnlyField(data: object): string {
  const values = Object.values(data);
  if (values.length === 1) return toSecretText(values[0]);
  throw new SourceFailure(
    "absent",
    `the secret has ${values.length} fields. The reference must name one`,
  );
}

/** Each part by itself: `%2F` in a path is not a slash. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
