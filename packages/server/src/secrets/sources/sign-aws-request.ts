import { createHash, createHmac } from "node:crypto";

export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken: string | null };

type AwsRequest = {
  url: URL;
  method: "POST";
  headers: Record<string, string>;
  body: string;
  region: string;
  service: string;
};

/**
 * The headers of a request with its signature of version 4 (AWS General Reference, "Signature Version 4"). The request
 * has no query, and its path is `/`.
 */
export function signAwsRequest(
  { url, method, headers, body, region, service }: AwsRequest,
  keys: AwsKeys,
  at: Date,
): Record<string, string> {
  const moment = at.toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = moment.slice(0, 8);
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-date": moment,
    ...(keys.sessionToken !== null && { "x-amz-security-token": keys.sessionToken }),
  };
  const names = Object.keys(signed)
    .map((name) => name.toLowerCase())
    .sort();
  const lines = names.map((name) => `${name}:${(signed[name] ?? "").trim()}\n`).join("");
  const request = [method, url.pathname, "", lines, names.join(";"), hash(body)].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", moment, scope, hash(request)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (before, part) => createHmac("sha256", before).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(text).digest("hex");
  const credential = `${keys.accessKeyId}/${scope}`;
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
