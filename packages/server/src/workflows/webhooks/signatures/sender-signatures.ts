import { createHash, createHmac } from "node:crypto";
import { isSameText } from "../../../lib/text/is-same-text.ts";
import type { SignedRequest } from "../../../store/workflow-runs/workflow-run-records.ts";
import { formType, readContentType } from "../body/content-type.ts";
import { findEncoding } from "../body/decode-text.ts";
import type { WebhookTrigger } from "../receive/find-webhook-trigger.ts";
import type { SignatureFault } from "./check-webhook-signature.ts";
import { findSignatureHeader, findSignatureKind, type SignatureKind } from "./signature-kinds.ts";

type SenderRules = Pick<WebhookTrigger, "signature" | "signature_header" | "replay_window_s">;

export type SignedSending = {
  headers: Pick<Headers, "get">;
  /** The body as it was sent. */
  raw: Uint8Array;
  /** The address as the sender knows it, with its query. */
  url: string;
};

/** What a valid signature says of its time, if it covers one. */
type Verdict = SignatureFault | { time: number; signature: string } | null;

export type SenderCheck = { fault: SignatureFault } | { fault: null; signed: SignedRequest | null };

/** As the libraries of Stripe, Slack and Standard Webhooks have it. */
const toleranceSDefault = 300;
/** Longer values are no signatures. */
const headerCharsMax = 4096;

/** Checks a request by the rules of its sender. The secret is never empty. Compares in constant time. */
export function checkSender(
  trigger: SenderRules,
  sent: SignedSending,
  { secret, now }: { secret: string; now: number },
): SenderCheck {
  const kind = findSignatureKind(trigger);
  const given = sent.headers.get(findSignatureHeader(trigger));
  const verdict = checks[kind]({ ...sent, given: given?.slice(0, headerCharsMax) ?? null, secret });
  if (typeof verdict === "string") return { fault: verdict };
  if (verdict === null) return { fault: null, signed: null };
  const windowS = trigger.replay_window_s ?? toleranceSDefault;
  const { time, signature } = verdict;
  if (Math.abs(now / 1000 - time) > windowS) return { fault: "timestamp_outside_window" };
  const id = `${kind}:${signature}`;
  return { fault: null, signed: { id, validUntil: (time + windowS) * 1000 } };
}

type SignatureInput = SignedSending & {
  /** The header of the signature. */
  given: string | null;
  secret: string;
};

const checks: Readonly<Record<SignatureKind, (given: SignatureInput) => Verdict>> = {
  // It has its own check, with other headers for its time.
  hub: () => "signature_wrong",
  github: ({ given, raw, secret }) =>
    compare(given?.toLowerCase(), `sha256=${sign("sha256", secret, [raw]).toString("hex")}`),
  gitlab: ({ given, secret }) => compare(given, secret),
  header: ({ given, secret }) => compare(given, secret),
  bearer: ({ given, secret }) => compare(readScheme(given, "bearer"), secret),
  basic({ given, secret }) {
    const written = readScheme(given, "basic") ?? "";
    const credentials = /^[A-Za-z0-9+/]+={0,2}$/.test(written) ? written : null;
    return compare(credentials && Buffer.from(credentials, "base64").toString("utf8"), secret);
  },
  shopify: ({ given, raw, secret }) =>
    compare(given?.trim(), sign("sha256", secret, [raw]).toString("base64")),
  stripe: checkStripe,
  slack: checkSlack,
  standard: checkStandard,
  twilio: checkTwilio,
};

/** `t=1700000000,v1=…,v1=…`: several signatures while the secret is replaced. */
function checkStripe({ given, raw, secret }: SignatureInput): Verdict {
  const parts = (given ?? "").split(",").map((part) => part.trim());
  const listOf = (name: string) =>
    parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length));
  const [time = ""] = listOf("t=");
  const expected = sign("sha256", secret, [`${time}.`, raw]).toString("hex");
  return compareTimed(listOf("v1="), expected, time);
}

function checkSlack({ given, headers, raw, secret }: SignatureInput): Verdict {
  const time = headers.get("x-slack-request-timestamp") ?? "";
  const expected = `v0=${sign("sha256", secret, [`v0:${time}:`, raw]).toString("hex")}`;
  return compareTimed(given ? [given] : [], expected, time);
}

/** `v1,… v1,…`; the key is the base64 behind `whsec_`. Svix names its headers by itself. */
function checkStandard({ given, headers, raw, secret }: SignatureInput): Verdict {
  const read = (name: string) => headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`);
  const id = read("id") ?? "";
  const time = read("timestamp") ?? "";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  // An empty key signs for everyone.
  if (key.byteLength === 0) return "signature_wrong";
  const expected = sign("sha256", key, [`${id}.${time}.`, raw]).toString("base64");
  const signatures = (given ?? headers.get("svix-signature") ?? "").slice(0, headerCharsMax);
  const known = signatures.split(" ").filter((part) => part.startsWith("v1,"));
  return compareTimed(
    known.map((part) => part.slice("v1,".length)),
    expected,
    time,
  );
}

/** Requests of Twilio are small. Reading a larger form costs time before its sender is known. */
const twilioBytesMax = 64 * 1024;

/** The address, then the names and values of the form in the order of the names. Another body has its hash in the address. */
function checkTwilio({ given, headers, raw, url, secret }: SignatureInput): Verdict {
  if (raw.byteLength > twilioBytesMax) return "signature_wrong";
  const { mediaType, charset } = readContentType(headers.get("content-type"));
  const isForm = mediaType === formType;
  // Attack: the signature covers the fields as UTF-8. In another charset, the run would read other texts.
  if (isForm && findEncoding(charset) !== "utf-8") return "signature_wrong";
  if (!isForm && raw.byteLength > 0) {
    const hash = new URL(url).searchParams.get("bodySHA256") ?? "";
    const expected = createHash("sha256").update(raw).digest("hex");
    if (!isSameText(hash.toLowerCase(), expected)) return "signature_wrong";
  }
  const fields = isForm ? writeFields(raw) : "";
  const settings = headers.get("x-twilio-webhooks-signature-settings") ?? "";
  const algorithm = /(?:^|,)\s*algorithm=HMAC_SHA256\s*(?:,|$)/.test(settings) ? "sha256" : "sha1";
  const faults = listSpellings(url).map((address) =>
    compare(given, sign(algorithm, secret, [address + fields]).toString("base64")),
  );
  return faults.find((fault) => fault === null) === null ? null : (faults[0] ?? null);
}

function writeFields(raw: Uint8Array): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(raw))) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  const names = [...values.keys()].sort();
  return names
    .flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value))
    .join("");
}

/** Twilio signs some addresses with the port of their scheme. */
function listSpellings(url: string): string[] {
  const { protocol, host, port, pathname, search } = new URL(url);
  if (port !== "") return [url];
  const usual = protocol === "https:" ? 443 : 80;
  return [url, `${protocol}//${host}:${usual}${pathname}${search}`];
}

function sign(
  algorithm: "sha1" | "sha256",
  key: string | Buffer,
  parts: ReadonlyArray<string | Uint8Array>,
): Buffer {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

function readScheme(given: string | null, scheme: "basic" | "bearer"): string | null {
  const [, name = "", credentials = ""] = /^(\w+) +(\S.*)$/.exec(given ?? "") ?? [];
  return name.toLowerCase() === scheme ? credentials.trim() : null;
}

function compare(given: string | null | undefined, expected: string): SignatureFault | null {
  // Also without one: the time of the answer says nothing.
  const isSame = isSameText(given ?? "", expected);
  if (given === null || given === undefined || given === "") return "signature_missing";
  return isSame ? null : "signature_wrong";
}

function compareTimed(signatures: readonly string[], expected: string, time: string): Verdict {
  const isSigned = signatures.map((one) => isSameText(one, expected)).includes(true);
  if (signatures.length === 0) return "signature_missing";
  if (!/^\d{1,12}$/.test(time)) return "timestamp_missing";
  return isSigned ? { time: Number(time), signature: expected } : "signature_wrong";
}
