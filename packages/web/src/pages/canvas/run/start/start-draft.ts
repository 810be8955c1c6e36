import type { ApiClient } from "../../../../api/call-api.ts";

type Start = {
  workflow: string;
  trigger: string;
  payload: unknown;
  /** The past run whose event it gets, instead of the payload. */
  past: string | null;
  /** The outputs that stand in for those of nodes in a dry run; null for a live run. */
  pins: Record<string, unknown> | null;
};

/** Starts a run of the stored draft. */
export function startDraft(api: ApiClient, { workflow, trigger, payload, past, pins }: Start) {
  const params = { workflow };
  if (pins !== null) {
    const dryRun = { draft: true, dry_run: true, pins };
    const event = past === null ? { trigger_id: trigger, payload } : { pins_from: past };
    return api.call("POST /manager/api/workflows/{workflow}/runs", {
      params,
      body: { ...dryRun, ...event },
    });
  }
  if (past !== null) {
    return api.call("POST /manager/api/workflows/{workflow}/runs/{run}/replay", {
      params: { workflow, run: past },
      body: { draft: true },
    });
  }
  return api.call("POST /manager/api/workflows/{workflow}/runs", {
    params,
    body: { draft: true, trigger_id: trigger, payload },
  });
}
