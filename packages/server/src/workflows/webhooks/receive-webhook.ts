import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { CallCounts } from "../../store/call-counts.ts";
import type { Plan } from "../engine/plan.ts";
import { checkSentTokens } from "../engine/sent-tokens.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { Workflows } from "../workflows.ts";
import { checkSignature } from "./check-signature.ts";
import { findWebhookTrigger, type WebhookTrigger } from "./find-webhook-trigger.ts";
import { readDelivery } from "./read-delivery.ts";
import { readPayload } from "./read-payload.ts";
import type { WebhookAddress } from "./webhook-address.ts";

export type WebhookDeps = {
  workflows: Workflows;
  ring: Pick<RingHolder, "current">;
  counts: CallCounts;
  findCaller(userId: string): Promise<Caller | null>;
  now(): number;
  /** Accepted requests of one workflow, per minute. */
  perMinute: number;
};

/** A request to the address of a webhook, whose body is not read yet. */
export type IncomingWebhook = {
  address: WebhookAddress;
  method: string;
  headers: Headers;
  query: URLSearchParams;
  ip: string | null;
};

/** The trigger that a request meets. */
export type WebhookTarget = {
  workflow: KnownWorkflow;
  plan: Plan;
  version: number | null;
  trigger: WebhookTrigger;
};

/** A run that a request has started, now or by an earlier delivery. */
export type ReceivedWebhook = { runId: string; trigger: WebhookTrigger };

const testsPerMinute = 60;

/**
 * The trigger of a request. Everything that keeps a webhook from existing gets the same answer: no such
 * workflow, no such path or method, disabled, never published, an owner who is not active.
 */
export async function findWebhook(
  deps: Pick<WebhookDeps, "workflows" | "findCaller">,
  { address, method }: IncomingWebhook,
): Promise<WebhookTarget> {
  const { directory, engine } = deps.workflows;
  const workflow = await directory.find(address.workflowId);
  if (workflow === null || !(workflow.enabled || address.isTest)) throw refuseAddress();
  const bodyId = address.isTest ? workflow.draftBodyId : workflow.publishedBodyId;
  if (bodyId === null) throw refuseAddress();
  const plan = await engine.plans.load(bodyId);
  const trigger = findWebhookTrigger(plan.body, { slug: address.slug, method });
  if (trigger === null || (await deps.findCaller(workflow.ownerId)) === null) throw refuseAddress();
  return { workflow, plan, trigger, version: address.isTest ? null : workflow.version };
}

/** Checks a request with its body, and starts its run. Resolves when the run is on disk. */
export async function receiveWebhook(
  deps: WebhookDeps,
  incoming: IncomingWebhook,
  { workflow, plan, trigger, version }: WebhookTarget,
  raw: Uint8Array,
): Promise<ReceivedWebhook> {
  const { address, headers, method, query, ip } = incoming;
  const secret =
    trigger.secret_ref === undefined
      ? null
      : ((await workflow.secrets()).get(trigger.secret_ref) ?? null);
  checkSignature(trigger, { headers, raw }, { secret, now: deps.now() });
  const deliveryId = readDelivery(headers);
  const payload = readPayload({ method, slug: address.slug, headers, query, raw });
  checkSentTokens(deps.ring.current(), { payload, raw });
  await checkPace(deps, workflow.id, address.isTest);
  const { runId, acceptance } = await deps.workflows.engine.accept({
    workflow,
    plan,
    version,
    trigger,
    payload,
    raw,
    source: ip,
    startedBy: `webhook ${trigger.id}`,
    deliveryId: deliveryId === null ? null : `${address.isTest ? "test" : "live"}:${deliveryId}`,
  });
  if (acceptance.kind === "repeated") return { runId: acceptance.runId, trigger };
  if (acceptance.kind !== "dropped") return { runId, trigger };
  throw new HubError(
    "rate_limited",
    "The workflow cannot take another run now: it runs already, or too many runs wait. Send it again later.",
    { detail: { retry_after_s: 5, run_id: runId } },
  );
}

async function checkPace(deps: WebhookDeps, workflowId: string, isTest: boolean): Promise<void> {
  const perMinute = isTest ? testsPerMinute : deps.perMinute;
  const key = `${isTest ? "webhook-test" : "webhook"}:${workflowId}`;
  const counted = deps.counts.begin(key, { perMinute, atOnce: 0 });
  try {
    const refusal = await counted.refusal;
    if (refusal === null) return;
    const waitS = refusal.limit === "perMinute" ? Math.ceil(refusal.waitMs / 1000) : 1;
    throw new HubError(
      "rate_limited",
      `The workflow takes ${perMinute} requests a minute. Send it again in ${waitS} s.`,
      { detail: { retry_after_s: waitS } },
    );
  } finally {
    counted.end();
  }
}

function refuseAddress(): HubError {
  return new HubError("not_found", "There is no webhook at this address.");
}
