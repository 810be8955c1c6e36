import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { chooseField } from "../choose-field.ts";
import { createKeptSession, type Session } from "../kept-session.ts";
import { type JsonAnswer, readMember, readText, requestJson } from "../request-json.ts";
import type { ClientDeps, ReadSecret, SecretAddress, SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

type AzureSettings = Extract<SourceSettings, { kind: "azure" }>;
type AzureCredentials = { client_secret?: string };

/** The hosts of a cloud. Tokens are asked for at these alone, whatever a vault answers. */
const clouds = {
  public: { authority: "login.microsoftonline.com", vaults: "vault.azure.net" },
  china: { authority: "login.chinacloudapi.cn", vaults: "vault.azure.cn" },
  government: { authority: "login.microsoftonline.us", vaults: "vault.usgovcloudapi.net" },
} as const;
const metadataHost = "169.254.169.254";
const apiVersion = "7.5";
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Azure Key Vault. */
export function createAzureClient(
  { fetch, now, machine }: ClientDeps,
  settings: AzureSettings,
  credentials: AzureCredentials,
): SourceClient {
  const { authority, vaults } = clouds[settings.cloud];
  const session = createKeptSession<string>(now, async (signal) =>
    settings.auth === "chain" ? await openByMachine(signal) : await openByApplication(signal),
  );

  async function openByApplication(signal: AbortSignal): Promise<Session<string>> {
    const isWorkload = settings.auth === "workload";
    const { readVariable } = machine;
    const tenant = settings.tenant || (isWorkload && readVariable("AZURE_TENANT_ID")) || "";
    const client = settings.client_id || (isWorkload && readVariable("AZURE_CLIENT_ID")) || "";
    const proof: Record<string, string> = isWorkload
      ? { client_assertion_type: assertionType, client_assertion: await readWorkloadToken() }
      : { client_secret: credentials.client_secret ?? "" };
    const answer = await requestJson(fetch, {
      url: `https://${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: client,
        scope: `https://${vaults}/.default`,
        ...proof,
      }),
      signal,
    });
    return toSession(answer);
  }

  async function readWorkloadToken(): Promise<string> {
    const file = machine.readVariable("AZURE_FEDERATED_TOKEN_FILE");
    if (!file) throw refuse("AZURE_FEDERATED_TOKEN_FILE is not set on the hub's machine");
    return (await machine.readTokenFile(file)).trim();
  }

  /** The managed identity of a machine, or of an App Service, which has its own address and a header against forged requests. */
  async function openByMachine(signal: AbortSignal): Promise<Session<string>> {
    const query = new URLSearchParams({
      resource: `https://${vaults}`,
      ...(settings.client_id !== "" && { client_id: settings.client_id }),
    });
    const endpoint = machine.readVariable("IDENTITY_ENDPOINT");
    const header = machine.readVariable("IDENTITY_HEADER");
    if (endpoint && header && URL.canParse(endpoint)) {
      const url = new URL(endpoint);
      query.set("api-version", "2019-08-01");
      return toSession(
        await requestJson(machine.createMetadataFetch(url.host), {
          url: `${url.origin}${url.pathname}?${query}`,
          headers: { "x-identity-header": header },
          signal,
        }),
      );
    }
    query.set("api-version", "2018-02-01");
    return toSession(
      await requestJson(machine.createMetadataFetch(metadataHost), {
        url: `http://${metadataHost}/metadata/identity/oauth2/token?${query}`,
        headers: { metadata: "true" },
        signal,
      }),
    );
  }

  function toSession({ status, body }: JsonAnswer): Session<string> {
    const token = readText(body, "access_token");
    if (status !== 200 || token === null) {
      throw refuse(`Azure refused the hub's identity (status ${status})`);
    }
    // A number, or a text with one.
    const lastsS = Number(readMember(body, "expires_in") ?? 0);
    return { value: token, until: lastsS > 0 ? now() + lastsS * 1000 : null };
  }

  async function readOnce(
    token: string,
    { path, field, version }: SecretAddress,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    const part = version === null ? "" : `/${encodeURIComponent(version)}`;
    const { status, body } = await requestJson(fetch, {
      url: `https://${settings.vault}.${vaults}/secrets/${encodeURIComponent(path)}${part}?api-version=${apiVersion}`,
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status === 401 || status === 403)
      throw refuse(`Azure refused the hub this secret (status ${status})`);
    if (status === 404)
      throw new SourceFailure("absent", "the key vault has no such secret or version");
    const value = readText(body, "value");
    if (status !== 200 || value === null) {
      throw new SourceFailure("bad", `Azure answered status ${status} without a value`);
    }
    const found = readText(body, "id")?.split("/").at(-1) ?? null;
    return { value: chooseField(value, field), version: found };
  }

  return {
    read: (address, signal) => session.use(signal, (token) => readOnce(token, address, signal)),
  };
}

function refuse(reason: string): SourceFailure {
  return new SourceFailure("refused", reason);
}
