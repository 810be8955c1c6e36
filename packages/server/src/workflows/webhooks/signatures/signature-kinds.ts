import type { WebhookTrigger } from "../receive/find-webhook-trigger.ts";

export type SignatureKind = NonNullable<WebhookTrigger["signature"]>;
export type SignatureFields = Pick<WebhookTrigger, "signature" | "signature_header">;

type KindFacts = {
  /** The header with the signature or the secret. */
  header: string;
  /** What the header has, as a sentence of an error shows it. */
  value: string;
  /** Whether the secret itself is sent. */
  isSecret?: true;
  /** Whether the signature covers the time of sending. */
  isTimed?: true;
};

export const signatureKinds: Readonly<Record<SignatureKind, KindFacts>> = {
  hub: { header: "X-Hub-Sig", value: "sha256=<hex HMAC-SHA256 of the body>", isTimed: true },
  github: { header: "X-Hub-Signature-256", value: "sha256=<hex HMAC-SHA256 of the body>" },
  gitlab: { header: "X-Gitlab-Token", value: "<the secret>", isSecret: true },
  shopify: { header: "X-Shopify-Hmac-Sha256", value: "<base64 HMAC-SHA256 of the body>" },
  stripe: {
    header: "Stripe-Signature",
    value: "t=<Unix seconds>,v1=<hex HMAC-SHA256 of TIME.BODY>",
    isTimed: true,
  },
  slack: {
    header: "X-Slack-Signature",
    value: "v0=<hex HMAC-SHA256 of v0:TIME:BODY>, and the time in X-Slack-Request-Timestamp",
    isTimed: true,
  },
  standard: {
    header: "webhook-signature",
    value: "v1,<base64 HMAC-SHA256 of ID.TIME.BODY>, and webhook-id and webhook-timestamp",
    isTimed: true,
  },
  twilio: {
    header: "X-Twilio-Signature",
    value: "<base64 HMAC-SHA1 of the public address and the sorted fields of the form>",
  },
  basic: {
    header: "Authorization",
    value: "Basic <base64 of the secret, which is user:password>",
    isSecret: true,
  },
  bearer: { header: "Authorization", value: "Bearer <the secret>", isSecret: true },
  header: { header: "X-Webhook-Secret", value: "<the secret>", isSecret: true },
};

export function findSignatureKind({ signature }: SignatureFields): SignatureKind {
  return signature ?? "hub";
}

/** The header with the signature, or with the secret. */
export function findSignatureHeader(trigger: SignatureFields): string {
  const kind = findSignatureKind(trigger);
  const named = kind === "hub" || kind === "header" ? trigger.signature_header : undefined;
  return named ?? signatureKinds[kind].header;
}

/** What a sender sends, such as `X-Gitlab-Token: <the secret>`. */
export function describeSignature(trigger: SignatureFields): string {
  return `${findSignatureHeader(trigger)}: ${signatureKinds[findSignatureKind(trigger)].value}`;
}

/** Headers with the same signature under another name, or by a weaker algorithm. */
const otherHeaders: { [Kind in SignatureKind]?: readonly string[] } = {
  github: ["x-hub-signature"],
  standard: ["svix-signature"],
};

/** The headers that a run does not keep because of the signature, in lower case. */
export function listSignatureHeaders(trigger: SignatureFields): string[] {
  const header = findSignatureHeader(trigger).toLowerCase();
  return [header, ...(otherHeaders[findSignatureKind(trigger)] ?? [])];
}
