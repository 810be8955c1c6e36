import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { largeBytes, yieldToEventLoop } from "../../lib/yield-to-event-loop.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { Plan } from "../engine/plan.ts";
import { checkSentTokens } from "../engine/sent-tokens.ts";
import { trialMs } from "../engine/trial.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { Workflows } from "../workflows.ts";
import { findSignatureFault, findSignatureHeader, findSignedRequest } from "./check-signature.ts";
import { findDelivery } from "./find-delivery.ts";
import { findWebhookTrigger, type WebhookTrigger } from "./find-webhook-trigger.ts";
import { readPayload } from "./read-payload.ts";
import type { RequestFacts } from "./request-facts.ts";
import { unpackBody } from "./unpack-body.ts";
import type { WebhookAddress } from "./webhook-address.ts";
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
  { address, headers, method, query, ip, raw: sent, hold, onVerified }: SentWebhook,
  { workflow, plan, trigger, version, isTrial }: WebhookTarget,
  facts: RequestFacts,
): Promise<ReceivedWebhook> {
  facts.bodyBytes = sent.byteLength;
  await checkSignature(deps, { workflow, trigger }, { headers, raw: sent }, facts);
  onVerified();
  const raw = await unpackBody(headers.get("content-encoding"), sent, hold);
  const isLarge = raw.byteLength > largeBytes;
  if (isLarge) await yieldToEventLoop();
  const { signature_header: signatureHeader } = trigger;
  const request = { method, slug: address.slug, headers, query, raw, signatureHeader };
  const payload = await readPayload({ yieldToEventLoop }, request);
  // Each of these reads the body once.
  if (isLarge) await yieldToEventLoop();
  const { env } = plan.body.settings;
  const sentBy = { trigger, headers, payload, raw, source: ip, env, now: deps.now() };
  const deliveryId = findDelivery(sentBy);
  facts.deliveryId = deliveryId;
  if (isLarge) await yieldToEventLoop();
  checkSentTokens(deps.ring.current(), { payload, raw });
  if (isLarge) await yieldToEventLoop();
  await deps.pace.count({ workflowId: workflow.id, isTest: address.isTest });
  const stage = address.isTest ? "test" : "live";
  const signed = findSignedRequest(trigger, headers);
  const { runId, acceptance } = await deps.workflows.engine.accept({
    workflow,
    plan,
    version,
    trigger,
    payload,
    raw,
    source: ip,
    ...(isTrial && { given: { endsAt: deps.now() + trialMs } }),
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
  { headers, raw }: { headers: Headers; raw: Uint8Array },
  facts: RequestFacts,
): Promise<void> {
  const { secret_ref: name } = trigger;
  facts.signature = "none";
  if (name === undefined) return;
  const secret = (await workflow.secrets()).get(name) ?? null;
  const fault = findSignatureFault(trigger, { headers, raw }, { secret, now: now() });
  facts.signature = fault === null ? "valid" : "refused";
  if (fault === null) return;
  facts.refusal = fault;
  throw new HubError(
    "unauthorized",
    `The signature is missing or wrong. Send ${findSignatureHeader(trigger)}: sha256=<hex HMAC-SHA256 of the body>.`,
  );
}

function refuseAddress(facts?: RequestFacts, refusal: RequestFacts["refusal"] = null): HubError {
  if (facts !== undefined) facts.refusal = refusal;
  return new HubError("not_found", "There is no webhook at this address.");
}
