import type { Session } from "../kept-session.ts";
import { readMember, readText, requestJson } from "../request-json.ts";
import type { AwsKeys } from "../sign-aws-request.ts";
import type { ClientDeps } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

const machineHost = "169.254.169.254";
/** Of ECS tasks, and of pods of EKS. */
const containerHosts = new Set(["169.254.170.2", "169.254.170.23"]);

/**
 * The credentials of the machine, in the order of AWS's own clients: variables, web identity, container, metadata
 * service of version 2. Profile files and `credential_process` are not read: they start programs.
 */
export async function openAwsChain(
  deps: ClientDeps,
  region: string,
  signal: AbortSignal,
): Promise<Session<AwsKeys>> {
  const { readVariable } = deps.machine;
  const accessKeyId = readVariable("AWS_ACCESS_KEY_ID");
  const secretAccessKey = readVariable("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId && secretAccessKey) {
    const sessionToken = readVariable("AWS_SESSION_TOKEN") || null;
    return { value: { accessKeyId, secretAccessKey, sessionToken }, until: null };
  }
  const file = readVariable("AWS_WEB_IDENTITY_TOKEN_FILE");
  const role = readVariable("AWS_ROLE_ARN");
  if (file && role) return await assumeByWebIdentity(deps, { file, role, region }, signal);
  const relative = readVariable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (relative) return await readContainer(deps, `http://169.254.170.2${relative}`, signal);
  const full = readVariable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (full) return await readContainer(deps, full, signal);
  return await readMachine(deps, signal);
}

async function assumeByWebIdentity(
  { fetch, machine }: ClientDeps,
  { file, role, region }: { file: string; role: string; region: string },
  signal: AbortSignal,
): Promise<Session<AwsKeys>> {
  const token = (await machine.readTokenFile(file)).trim();
  const answer = await requestJson(fetch, {
    url: `https://sts.${region}.amazonaws.com/`,
    method: "POST",
    body: new URLSearchParams({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: role,
      RoleSessionName: machine.readVariable("AWS_ROLE_SESSION_NAME") || "hub",
      WebIdentityToken: token,
    }),
    signal,
  });
  const found = readMember(
    answer.body,
    "AssumeRoleWithWebIdentityResponse",
    "AssumeRoleWithWebIdentityResult",
    "Credentials",
  );
  if (answer.status !== 200) throw refuse(`AWS refused the web identity (status ${answer.status})`);
  // Here alone the time is a number of seconds.
  const expires = readMember(found, "Expiration");
  return toSession(found, {
    id: "AccessKeyId",
    token: "SessionToken",
    until: typeof expires === "number" ? expires * 1000 : Date.parse(String(expires)),
  });
}

async function readContainer(
  { machine }: ClientDeps,
  address: string,
  signal: AbortSignal,
): Promise<Session<AwsKeys>> {
  if (!URL.canParse(address))
    throw refuse("the address of the container's credentials is not valid");
  const url = new URL(address);
  // As AWS's clients have it: other addresses in this variable would get the token of the file.
  if (!containerHosts.has(url.hostname) && !isLoopback(url.hostname)) {
    throw refuse(
      "the address of the container's credentials is neither of AWS nor of this machine",
    );
  }
  const file = machine.readVariable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const token = file
    ? (await machine.readTokenFile(file)).trim()
    : machine.readVariable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const answer = await requestJson(machine.createMetadataFetch(url.host), {
    url: url.href,
    headers: token ? { authorization: token } : {},
    signal,
  });
  if (answer.status !== 200)
    throw refuse(`the container has no credentials (status ${answer.status})`);
  return toMetadataSession(answer.body);
}

async function readMachine(
  { machine }: ClientDeps,
  signal: AbortSignal,
): Promise<Session<AwsKeys>> {
  const base = `http://${machineHost}`;
  const fetch = machine.createMetadataFetch(machineHost);
  const token = await fetchText(fetch, `${base}/latest/api/token`, {
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "300" },
    signal,
  });
  const headers = { "x-aws-ec2-metadata-token": token };
  const roles = `${base}/latest/meta-data/iam/security-credentials/`;
  const [role = ""] = (await fetchText(fetch, roles, { headers, signal })).split("\n");
  if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw refuse("the machine has no role");
  const answer = await requestJson(fetch, { url: `${roles}${role}`, headers, signal });
  if (answer.status !== 200) throw refuse(`the machine has no role (status ${answer.status})`);
  return toMetadataSession(answer.body);
}

async function fetchText(
  fetch: ReturnType<ClientDeps["machine"]["createMetadataFetch"]>,
  url: string,
  init: RequestInit,
): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, redirect: "manual" });
    text = (await response.text()).trim();
  } catch {
    throw new SourceFailure("away", "the metadata service of the hub's machine does not answer");
  }
  if (response.status >= 500) throw new SourceFailure("away", "the metadata service failed");
  if (response.status !== 200) throw refuse("the hub's machine has no credentials for AWS");
  return text;
}

function toMetadataSession(body: unknown): Session<AwsKeys> {
  const until = Date.parse(readText(body, "Expiration") ?? "");
  return toSession(body, { id: "AccessKeyId", token: "Token", until });
}

function toSession(
  found: unknown,
  { id, token, until }: { id: string; token: string; until: number },
): Session<AwsKeys> {
  const accessKeyId = readText(found, id);
  const secretAccessKey = readText(found, "SecretAccessKey");
  if (accessKeyId === null || secretAccessKey === null) throw refuse("AWS gave no credentials");
  return {
    value: { accessKeyId, secretAccessKey, sessionToken: readText(found, token) },
    until: Number.isFinite(until) ? until : null,
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

function refuse(reason: string): SourceFailure {
  return new SourceFailure("refused", reason);
}
