import type { WebhookRefusal } from "@hub/contract/workflow-webhook.ts";
import type { ErrorCode, HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { WebhookRequest } from "../../../store/workflows/webhook-requests.ts";
import type { RequestFacts } from "../receive/request-facts.ts";
import type { WebhookAddress } from "../webhook-address.ts";

/** What a request was answered. */
export type Answered = { status: number; failure: HubError | null; durationMs: number };

type RecordedRequest = RequestFacts &
  Answered & {
    workflowId: string;
    address: WebhookAddress;
    method: string;
    /** Epoch ms. */
    at: number;
  };

/** The last requests to the webhooks of each workflow, written in batches. */
export type RequestLog = {
  record(request: RecordedRequest): void;
  /** Writes what was recorded. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type RequestLogDeps = {
  /** Stores a batch. */
  put(requests: readonly WebhookRequest[], keptMax: number): Promise<void>;
  /** Hides the secrets of a workflow in a text. Null if the workflow does not exist. */
  openHide(workflowId: string): Promise<((text: string) => string) | null>;
  timers: Pick<Timers, "after">;
  logFailure(err: unknown): void;
};

/** How many accepted requests of a workflow are kept, and as many refused ones. */
export const requestsKeptMax = 100;
/** Beyond it, only requests that are counted in a recorded one are recorded until the next flush. */
const pendingMax = 5000;
/** Written in one step of the event loop. */
const batchMax = 200;
const flushMs = 2000;
const pathCharsMax = 256;

/** Requests of one workflow that are not written yet. */
type Pending = { accepted: WebhookRequest[]; refused: Map<string, WebhookRequest> };

/**
 * Collects requests in memory, so that a request costs no write: of each workflow the newest accepted
 * ones, and of the refused ones a count for each trigger and reason. A process that is killed loses those
 * of its last two seconds; the runs are on disk before.
 */
export function createRequestLog(deps: RequestLogDeps): RequestLog {
  let pending = new Map<string, Pending>();
  let count = 0;
  let isFailing = false;
  let stopTimer: (() => void) | null = null;
  let flushing: Promise<void> = Promise.resolve();

  function add(request: WebhookRequest): void {
    const { workflowId, key, reason } = request;
    const own: Pending = pending.get(workflowId) ?? { accepted: [], refused: new Map() };
    const known = own.refused.get(key);
    if (known !== undefined) {
      const newer = known.at > request.at ? known : request;
      const firstAt = Math.min(known.firstAt, request.firstAt);
      own.refused.set(key, { ...newer, firstAt, requests: known.requests + request.requests });
      return;
    }
    if (reason === null && own.accepted.length >= requestsKeptMax) {
      own.accepted.shift();
      count -= 1;
    }
    if (count >= pendingMax) return;
    count += 1;
    if (reason === null) own.accepted.push(request);
    else own.refused.set(key, request);
    pending.set(workflowId, own);
  }

  function startTimer(): void {
    stopTimer ??= deps.timers.after(flushMs, () => {
      stopTimer = null;
      flush().then(
        () => {
          isFailing = false;
        },
        (err: unknown) => {
          if (!isFailing) deps.logFailure(err);
          isFailing = true;
          startTimer();
        },
      );
    });
  }

  async function writePending(): Promise<void> {
    const taken = [...pending.values()].flatMap(({ accepted, refused }) => [
      ...accepted,
      ...refused.values(),
    ]);
    pending = new Map();
    count = 0;
    for (let at = 0; at < taken.length; at += batchMax) {
      try {
        await deps.put(await hideSecrets(deps, taken.slice(at, at + batchMax)), requestsKeptMax);
      } catch (failure) {
        for (const request of taken.slice(at)) add(request);
        throw failure;
      }
      // Other work runs between two batches.
      if (at + batchMax < taken.length) await Bun.sleep(0);
    }
  }

  function flush(): Promise<void> {
    flushing = flushing.catch(() => {}).then(writePending);
    return flushing;
  }

  return {
    record(request) {
      add(toRequest(request));
      startTimer();
    },
    flush,
    async close() {
      stopTimer?.();
      await flush();
    },
  };
}

/** A sender may put a secret of the workflow into the path or the id of a delivery. */
async function hideSecrets(
  { openHide }: RequestLogDeps,
  requests: readonly WebhookRequest[],
): Promise<WebhookRequest[]> {
  const shown: WebhookRequest[] = [];
  for (const [workflowId, own] of Map.groupBy(requests, (request) => request.workflowId)) {
    // Without the keys of the secrets, it is not known what to hide.
    const hide = await openHide(workflowId).catch(() => () => "(not shown)");
    if (hide === null) continue;
    for (const { path, deliveryId, method, ...request } of own) {
      const texts = { path: hide(path), method: hide(method) };
      shown.push({ ...request, ...texts, deliveryId: deliveryId && hide(deliveryId) });
    }
  }
  return shown;
}

function toRequest({ address, failure, ...recorded }: RecordedRequest): WebhookRequest {
  const { slug, isTest } = address;
  const { at, triggerId, runId } = recorded;
  const reason = toReason(recorded, failure);
  const key =
    reason === null
      ? Bun.randomUUIDv7("hex", at)
      : [isTest ? "test" : "live", triggerId ?? "", reason].join(" ");
  return {
    workflowId: recorded.workflowId,
    key,
    at,
    firstAt: at,
    requests: 1,
    triggerId,
    isTest,
    reason,
    method: /^[A-Z]{1,10}$/.test(recorded.method) ? recorded.method : "OTHER",
    path: slug.length <= pathCharsMax ? slug : `(${slug.length} characters)`,
    deliveryId: recorded.deliveryId,
    isRepeated: recorded.isRepeated,
    signature: recorded.signature,
    status: recorded.status,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    runId,
    durationMs: Math.round(recorded.durationMs),
    bodyBytes: recorded.bodyBytes,
  };
}

/** Why a request was refused; null if it has a run, whatever became of it. */
function toReason(
  { refusal, runId }: Pick<RequestFacts, "refusal" | "runId">,
  failure: HubError | null,
): WebhookRefusal | null {
  if (refusal !== null) return refusal;
  if (failure === null || runId !== null) return null;
  return reasons[failure.code] ?? "failed";
}

const reasons: { [Code in ErrorCode]?: WebhookRefusal } = {
  body_too_large: "body_too_large",
  body_too_slow: "body_too_slow",
  bad_request: "bad_request",
  unsupported_media_type: "bad_request",
  invalid_request: "bad_request",
  rate_limited: "too_many_requests",
};
