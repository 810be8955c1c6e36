import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import { largeBytes, yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import type { SignedRequest } from "../../../store/workflow-runs/workflow-run-records.ts";
import { toRunContext } from "../../engine/accept/run-context.ts";
import { trialMs } from "../../engine/limits/draft-run-limit.ts";
import type { Plan } from "../../engine/plan.ts";
import { checkSentTokens } from "../../engine/secrets/check-sent-tokens.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { Workflows } from "../../workflows.ts";
import { readPayload } from "../body/read-payload.ts";
import { unpackBody } from "../body/unpack-body.ts";
import { findDelivery } from "../deliveries/find-delivery.ts";
import { findSignatureFault, findSignedRequest } from "../signatures/check-webhook-signature.ts";
import {
  checkSender,
  type SenderCheck,
  type SignedSending,
} from "../signatures/sender-signatures.ts";
import {
  describeSignature,
  findSignatureKind,
  listSignatureHeaders,
} from "../signatures/signature-kinds.ts";
import type { WebhookAddress } from "../webhook-address.ts";
import { findWebhookTrigger, type WebhookTrigger } from "./find-webhook-trigger.ts";
import type { RequestFacts } from "./request-facts.ts";
import type { WebhookPace } from "./webhook-pace.ts";

export type WebhookDeps = {
  workflows: Workflows;
  ring: Pick<RingHolder, "current">;
  pace: Pick<WebhookPace, "count">;
  findCaller(userId: string): Promise<Caller | null>;
  now(): number;
};

/** A request to the address of a webhook, whose body is not read yet. */
export type IncomingWebhook = {
  address: WebhookAddress;
  method: string;
  headers: Headers;
  query: URLSearchParams;
  /** The address as senders know it, with its query. */
  url: string;
  ip: string | null;
};

/** The same with its body. */
export type SentWebhook = IncomingWebhook & {
  /** As it was sent. */
  raw: Uint8Array;
  /** Counts bytes that are made of it until the request ends. May throw. */
  hold(bytes: number): void;
  /** Called when the signature is valid, or if the trigger asks for none. */
  onVerified(): void;
};

/** The trigger that a request meets. */
export type WebhookTarget = {
  workflow: KnownWorkflow;
  plan: Plan;
  version: number | null;
  trigger: WebhookTrigger;
  /** Whether the run is a trial: of a draft that a model saved. */
  isTrial: boolean;
};

/** A run that a request has started, now or by an earlier delivery. */
export type ReceivedWebhook = { runId: string; trigger: WebhookTrigger };

/**
 * The trigger of a request. Everything that keeps a webhook from existing gets the same answer: no such
 * workflow, no such path or method, disabled, never published, an owner who is not active. Without a method, any
 * trigger of the path is found.
 */
export async function findWebhook(
  deps: Pick<WebhookDeps, "workflows" | "findCaller" | "now">,
  { address, method }: Pick<IncomingWebhook, "address"> & { method: string | null },
  facts: RequestFacts,
): Promise<WebhookTarget> {
  const { directory, engine } = deps.workflows;
  const workflow = await directory.find(address.workflowId);
  if (workflow === null) throw refuseAddress();
  facts.workflowId = workflow.id;
  if (!(workflow.enabled || address.isTest)) throw refuseAddress(facts, "disabled");
  const draft = address.isTest ? await directory.findDraft(workflow.id) : null;
  const bodyId = address.isTest ? (draft?.bodyId ?? null) : workflow.publishedBodyId;
  if (bodyId === null) throw refuseAddress(facts, "not_published");
  const trialUntil = draft?.trialUntil ?? null;
  if (trialUntil !== null && trialUntil <= deps.now()) throw refuseAddress(facts, "trial_over");
  const plan = await engine.plans.load(bodyId);
  const trigger = findWebhookTrigger(plan.body, { slug: address.slug, method });
  if (trigger === null) throw refuseAddress(facts, "no_trigger");
  facts.triggerId = trigger.id;
  if ((await deps.findCaller(workflow.ownerId)) === null) {
    throw refuseAddress(facts, "inactive_owner");
  }
  return {
    workflow,
    plan,
    trigger,
    version: address.isTest ? null : workflow.version,
    isTrial: trialUntil !== null,
  };
}

/** Checks a request with its body, and starts its run. Resolves when the run is on disk. */
export async function receiveWebhook(
  deps: WebhookDeps,
  { address, headers, method, query, url, ip, raw: sent, hold, onVerified }: SentWebhook,
  { workflow, plan, trigger, version, isTrial }: WebhookTarget,
  facts: RequestFacts,
): Promise<ReceivedWebhook> {
  facts.bodyBytes = sent.byteLength;
  const signing = { headers, raw: sent, url };
  const signed = await checkSignature(deps, { workflow, trigger }, signing, facts);
  onVerified();
  const raw = await unpackBody(headers.get("content-encoding"), sent, hold);
  const isLarge = raw.byteLength > largeBytes;
  if (isLarge) await yieldToEventLoop();
  const signatureHeaders = listSignatureHeaders(trigger);
  const request = { method, slug: address.slug, headers, query, raw, signatureHeaders };
  const payload = await readPayload({ yieldToEventLoop }, request);
  // Each of these reads the body once.
  if (isLarge) await yieldToEventLoop();
  const { env } = plan.body.settings;
  const sentBy = { trigger, headers, payload, raw, hold, source: ip, env, now: deps.now() };
  const deliveryId = findDelivery(sentBy);
  facts.deliveryId = deliveryId;
  if (isLarge) await yieldToEventLoop();
  checkSentTokens(deps.ring.current(), { payload, raw });
  if (isLarge) await yieldToEventLoop();
  await deps.pace.count({ workflowId: workflow.id, isTest: address.isTest });
  const stage = address.isTest ? "test" : "live";
  const { runId, acceptance } = await deps.workflows.engine.accept({
    workflow,
    plan,
    version,
    trigger,
    payload,
    raw,
    source: ip,
    ...toRunContext({
      endsAt: isTrial ? deps.now() + trialMs : undefined,
      // It tries the draft.
      isQuiet: address.isTest ? true : undefined,
    }),
    startedBy: `webhook ${trigger.id}`,
    starterIds: [],
    deliveryId: deliveryId === null ? null : `${stage}:${deliveryId}`,
    signedRequest: signed && { ...signed, id: `${stage}:${signed.id}` },
  });
  facts.isRepeated = acceptance.kind === "repeated";
  facts.runId = acceptance.kind === "repeated" ? acceptance.runId : runId;
  if (acceptance.kind !== "dropped") return { runId: facts.runId, trigger };
  facts.refusal = "too_many_runs";
  throw new HubError(
    "rate_limited",
    "The workflow cannot take another run now: it runs already, or too many runs wait. Send it again later.",
    { detail: { retry_after_s: 5, run_id: runId } },
  );
}

/**
 * Every refusal of a signature is the same, so that a sender cannot tell a missing secret from a wrong
 * signature.
 */
async function checkSignature(
  { now }: Pick<WebhookDeps, "now">,
  { workflow, trigger }: Pick<WebhookTarget, "workflow" | "trigger">,
  sent: SignedSending,
  facts: RequestFacts,
): Promise<SignedRequest | null> {
  const { secret_ref: name } = trigger;
  facts.signature = "none";
  if (name === undefined) return null;
  const secret =
    (await workflow.secrets()).get(name) ?? (await workflow.managed?.())?.get(name)?.text ?? null;
  const check = checkByKind(trigger, sent, { secret, now: now() });
  facts.signature = check.fault === null ? "valid" : "refused";
  if (check.fault === null) return check.signed;
  facts.refusal = check.fault;
  const isBasic = findSignatureKind(trigger) === "basic";
  throw new HubError(
    "unauthorized",
    `The signature is missing or wrong. Send ${describeSignature(trigger)}.`,
    // Some clients send a password only after they were asked for it.
    isBasic ? { detail: { scheme: "Basic" } } : {},
  );
}

function checkByKind(
  trigger: WebhookTrigger,
  sent: SignedSending,
  { secret, now }: { secret: string | null; now: number },
): SenderCheck {
  if (findSignatureKind(trigger) === "hub") {
    const fault = findSignatureFault(trigger, sent, { secret, now });
    return fault === null ? { fault, signed: findSignedRequest(trigger, sent.headers) } : { fault };
  }
  // Also without a secret: the time of the answer must not show whether it is set.
  const check = checkSender(trigger, sent, { secret: secret || "none", now });
  return secret ? check : { fault: "secret_not_set" };
}

function refuseAddress(facts?: RequestFacts, refusal: RequestFacts["refusal"] = null): HubError {
  if (facts !== undefined) facts.refusal = refusal;
  return new HubError("not_found", "There is no webhook at this address.");
}
