import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { chooseField } from "../choose-field.ts";
import { createKeptSession } from "../kept-session.ts";
import { readText, requestJson } from "../request-json.ts";
import { type AwsKeys, signAwsRequest } from "../sign-aws-request.ts";
import type { ClientDeps, ReadSecret, SecretAddress, SourceClient } from "../source-client.ts";
import { SourceFailure, type SourceFailureKind } from "../source-failure.ts";
import { openAwsChain } from "./aws-credentials.ts";

type AwsSettings = Extract<SourceSettings, { kind: "aws" }>;
type AwsCredentials = {
  access_key_id?: string;
  secret_access_key?: string;
  session_token?: string;
};

const service = "secretsmanager";

/** AWS and its emulators give different statuses, so the type of an error says what it is. */
const kindsOfErrors: Readonly<Record<string, SourceFailureKind>> = {
  ResourceNotFoundException: "absent",
  // Marked for deletion.
  InvalidRequestException: "absent",
  AccessDeniedException: "refused",
  DecryptionFailure: "refused",
  ExpiredTokenException: "refused",
  ExpiredToken: "refused",
  UnrecognizedClientException: "refused",
  InvalidClientTokenId: "refused",
  InvalidSignatureException: "refused",
  SignatureDoesNotMatch: "refused",
  IncompleteSignature: "refused",
  ThrottlingException: "away",
  Throttling: "away",
  InternalServiceError: "away",
  InternalServiceErrorException: "away",
  RequestTimeoutException: "away",
};

/** AWS Secrets Manager. */
export function createAwsClient(
  deps: ClientDeps,
  { region, auth, endpoint }: AwsSettings,
  credentials: AwsCredentials,
): SourceClient {
  const { fetch, now } = deps;
  const host = `${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const url = new URL("/", endpoint || `https://${host}`);
  const session = createKeptSession<AwsKeys>(now, async (signal) => {
    if (auth === "chain") return await openAwsChain(deps, region, signal);
    const { access_key_id: accessKeyId = "", secret_access_key: secretAccessKey = "" } =
      credentials;
    const sessionToken = credentials.session_token ?? null;
    return { value: { accessKeyId, secretAccessKey, sessionToken }, until: null };
  });

  async function readOnce(
    keys: AwsKeys,
    { path, field, version }: SecretAddress,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    // Ids of versions are at least 32 characters long; stages such as AWSPREVIOUS are names.
    const isStage = version !== null && version.length < 32;
    const body = JSON.stringify({
      SecretId: path,
      ...(version !== null && (isStage ? { VersionStage: version } : { VersionId: version })),
    });
    const headers = {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `${service}.GetSecretValue`,
    };
    const request = { url, method: "POST", headers, body, region, service } as const;
    const signed = signAwsRequest(request, keys, new Date(now()));
    const answer = await requestJson(fetch, {
      url: url.href,
      method: "POST",
      headers: signed,
      body,
      signal,
    });
    if (answer.status !== 200) throw toFailure(answer.body, answer.headers, answer.status);
    const text = readText(answer.body, "SecretString");
    const binary = readText(answer.body, "SecretBinary");
    if (text === null && binary === null) throw new SourceFailure("bad", "AWS gave no value");
    const whole = text ?? Buffer.from(binary ?? "", "base64").toString("utf8");
    return { value: chooseField(whole, field), version: readText(answer.body, "VersionId") };
  }

  return {
    read: (address, signal) => session.use(signal, (keys) => readOnce(keys, address, signal)),
  };
}

function toFailure(body: unknown, headers: Headers, status: number): SourceFailure {
  const named = readText(body, "__type") ?? headers.get("x-amzn-errortype") ?? "";
  const [type = ""] = (named.split("#").at(-1) ?? "").split(":");
  const kind = Object.hasOwn(kindsOfErrors, type) ? kindsOfErrors[type] : undefined;
  if (kind !== undefined) return new SourceFailure(kind, `AWS answered ${type}`);
  return new SourceFailure(
    status === 401 || status === 403 ? "refused" : "bad",
    `AWS answered status ${status}`,
  );
}
