import { toTimeText } from "@hub/contract/time.ts";
import {
  type WebhookDelivery,
  type WebhookRefusal,
  webhookOutcomeSchema,
  webhookRefusalSchema,
  webhookSignatureSchema,
} from "@hub/contract/workflow-webhook.ts";
import { z } from "zod";
import type { Caller } from "../../../caller.ts";
import { checkInput } from "../../../lib/input/check-input.ts";
import { type Page, type PageInput, readPage } from "../../../lib/input/page.ts";
import {
  listWebhookRequests,
  type WebhookRequest,
} from "../../../store/workflows/webhook-requests.ts";
import type { DefinitionDeps } from "../../definition/definition-deps.ts";
import { loadWorkflow } from "../../definition/workflow-access.ts";
import type { OpenWorkflows } from "../../workflows.ts";

type DeliveryDeps = Pick<DefinitionDeps, "store"> & {
  /** In a server, which may have requests that are not written yet. */
  openWorkflows?: OpenWorkflows;
};

const filterSchema = z.object({
  trigger: z.string().max(64).optional(),
  outcome: webhookOutcomeSchema.optional(),
});

export type DeliveryListInput = PageInput & z.input<typeof filterSchema>;

/** The last requests to the webhooks of a workflow, newest first. For its owner and admins. */
export async function listDeliveries(
  { store, openWorkflows }: DeliveryDeps,
  caller: Caller,
  id: string,
  { trigger, outcome, ...page }: DeliveryListInput = {},
): Promise<Page<WebhookDelivery>> {
  const filter = checkInput(filterSchema, { trigger, outcome });
  await loadWorkflow(store.db, caller, id, "manage");
  await (await openWorkflows?.())?.requestLog.flush();
  const { items, next } = await readPage(page, {
    keyType: "number",
    read(after, limit) {
      const start = after && { at: Number(after.key), key: after.id };
      return listWebhookRequests(store.db, id, {
        triggerId: filter.trigger,
        outcome: filter.outcome,
        after: start,
        limit,
      });
    },
    toCursor: ({ at, key }) => ({ key: at, id: key }),
  });
  return { items: items.map(toDelivery), next };
}

function toDelivery(request: WebhookRequest): WebhookDelivery {
  const reason = request.reason === null ? null : webhookRefusalSchema.parse(request.reason);
  return {
    id: request.key,
    outcome: reason === null ? "accepted" : "refused",
    reason,
    explanation: reason && explanations[reason],
    requests: request.requests,
    first_at: toTimeText(request.firstAt),
    at: toTimeText(request.at),
    trigger_id: request.triggerId,
    is_test: request.isTest,
    method: request.method,
    path: request.path,
    delivery_id: request.deliveryId,
    is_repeated: request.isRepeated,
    signature: webhookSignatureSchema.parse(request.signature),
    status: request.status,
    code: request.code,
    message: request.message,
    run_id: request.runId,
    duration_ms: request.durationMs,
    body_bytes: request.bodyBytes,
  };
}

const explanations: Record<WebhookRefusal, string> = {
  no_trigger: "No webhook trigger has this path and method. Correct the address or the trigger.",
  disabled: "The workflow is disabled. Enable it.",
  not_published: "The workflow was never published. Publish it, or use the address of the draft.",
  trial_over:
    "A model saved the draft more than 15 minutes ago. Look at it and save it, or publish it.",
  inactive_owner: "The owner of the workflow is not an active user. Offer it to another one.",
  secret_not_set: "The secret that `secret_ref` names is not set. Set it in the workflow.",
  signature_missing: "The request has no header with a signature. Give the sender the secret.",
  signature_wrong:
    "The signature is not that of the body by the secret. Compare the secrets; sign the bytes that are sent.",
  timestamp_missing:
    "The trigger has `replay_window_s`, and X-Hub-Timestamp is missing or not in Unix seconds.",
  timestamp_outside_window:
    "X-Hub-Timestamp differs from the hub's clock by more than `replay_window_s`. The request is old, or a clock is wrong.",
  timestamp_signature_wrong:
    "X-Hub-Sig-Timestamped is not the signature of X-Hub-Timestamp, a full stop and the body.",
  body_too_large: "The body is larger than a webhook accepts.",
  body_too_slow: "The body arrived too slowly.",
  bad_request: "The request is not valid; `message` says why.",
  too_many_requests: "The workflow had more requests in a minute than it may.",
  too_many_runs: "The queue policy of the workflow refused the run.",
  failed: "The hub failed to take the request; `message` says why.",
};
