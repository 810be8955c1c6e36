import type { WebhookRefusal, WebhookSignature } from "@hub/contract/workflow-webhook.ts";
import type { WebhookAddress } from "../webhook-address.ts";

/** What is known of a request so far. The steps of its handling fill it in, for its workflow's owner. */
export type RequestFacts = {
  /** Null if the path is no address of a webhook. */
  address: WebhookAddress | null;
  /** Null until the workflow of the address is found. */
  workflowId: string | null;
  triggerId: string | null;
  /** Why the request is refused, if its error does not show it. The sender does not learn it. */
  refusal: WebhookRefusal | null;
  signature: WebhookSignature;
  deliveryId: string | null;
  /** Null if the body was not read. */
  bodyBytes: number | null;
  runId: string | null;
  /** Whether an earlier request has started the run. */
  isRepeated: boolean;
};

export function createRequestFacts(): RequestFacts {
  return {
    address: null,
    workflowId: null,
    triggerId: null,
    refusal: null,
    signature: "unchecked",
    deliveryId: null,
    bodyBytes: null,
    runId: null,
    isRepeated: false,
  };
}
