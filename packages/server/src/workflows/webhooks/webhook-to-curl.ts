import type { SignatureKind } from "./signatures/signature-kinds.ts";

type CurlFacts = {
  url: string;
  method: string;
  /** The name of the secret, never its value. */
  secret: string | undefined;
  signatureKind: SignatureKind;
  signatureHeader: string;
  windowS: number | undefined;
};

const bodyless = new Set(["GET", "DELETE"]);

/**
 * Shell commands that send a request to a webhook, signed with the value of the variable SECRET. For sh
 * with curl and OpenSSL.
 */
export function toCurl(facts: CurlFacts): string {
  const { url, method, secret, signatureKind } = facts;
  const hasBody = !bodyless.has(method);
  const isForm = signatureKind === "twilio" && secret !== undefined;
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const headers = hasBody ? [`-H "Content-Type: ${type}"`] : [];
  const before = hasBody ? [isForm ? "BODY='hello=world'" : `BODY='{"hello":"world"}'`] : [];
  if (secret !== undefined) {
    // The name in a draft can be any text, also one that would be a command.
    const name = /^\w+$/.test(secret) ? secret : "the secret";
    before.unshift(`# First: SECRET='the value of ${name}'`);
    if (!hasBody) before.push("BODY=");
    const signing = toSigning(facts, hasBody);
    before.push(...signing.before);
    headers.push(...signing.headers);
  }
  const parts = [`curl -sS -X ${method} ${quote(url)}`, ...headers];
  if (hasBody) parts.push('--data-binary "$BODY"');
  return [...before, parts.join(" \\\n  ")].join("\n");
}

type Signing = { before: string[]; headers: string[] };

function toSigning(facts: CurlFacts, hasBody: boolean): Signing {
  const { url, signatureKind, signatureHeader: header, windowS } = facts;
  const now = "NOW=$(date +%s)";
  const only = (value: string): Signing => ({ before: [], headers: [`-H "${header}: ${value}"`] });
  switch (signatureKind) {
    case "hub":
      return toHubSigning(header, windowS);
    case "github":
      return only(`sha256=$(${signHex("'%s' \"$BODY\"")})`);
    case "gitlab":
    case "header":
      return only("$SECRET");
    case "bearer":
      return only("Bearer $SECRET");
    case "basic":
      return { before: [], headers: ['-u "$SECRET"'] };
    case "shopify":
      return only(`$(${signBase64("'%s' \"$BODY\"")})`);
    case "stripe": {
      const signature = signHex('\'%s.%s\' "$NOW" "$BODY"');
      return { before: [now], headers: [`-H "${header}: t=$NOW,v1=$(${signature})"`] };
    }
    case "slack": {
      const signature = signHex('\'v0:%s:%s\' "$NOW" "$BODY"');
      return {
        before: [now],
        headers: ['-H "X-Slack-Request-Timestamp: $NOW"', `-H "${header}: v0=$(${signature})"`],
      };
    }
    case "standard": {
      const key = `$(printf '%s' "\${SECRET#whsec_}" | openssl base64 -d -A | od -An -vtx1 | tr -d ' \\n')`;
      const signature = `printf '%s.%s.%s' "msg_$NOW" "$NOW" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A`;
      return {
        before: [now, `KEY=${key}`],
        headers: [
          '-H "webhook-id: msg_$NOW"',
          '-H "webhook-timestamp: $NOW"',
          `-H "${header}: v1,$(${signature})"`,
        ],
      };
    }
    case "twilio": {
      const fields = hasBody ? "helloworld" : "";
      return only(
        `$(printf '%s' ${quote(url + fields)} | openssl dgst -sha1 -hmac "$SECRET" -binary | openssl base64 -A)`,
      );
    }
  }
}

function toHubSigning(header: string, windowS: number | undefined): Signing {
  const headers = [`-H "${header}: sha256=$(${signHex("'%s' \"$BODY\"")})"`];
  if (windowS === undefined) return { before: [], headers };
  headers.push('-H "X-Hub-Timestamp: $NOW"');
  headers.push(`-H "X-Hub-Sig-Timestamped: sha256=$(${signHex('\'%s.%s\' "$NOW" "$BODY"')})"`);
  return { before: ["NOW=$(date +%s)"], headers };
}

/** OpenSSL prints the digest and, with -r, a name after it. */
function signHex(text: string): string {
  return `printf ${text} | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1`;
}

function signBase64(text: string): string {
  return `printf ${text} | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
