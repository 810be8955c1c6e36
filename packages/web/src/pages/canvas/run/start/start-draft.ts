import type { ApiClient } from "../../../../api/call-api.ts";

type Start = {
  workflow: string;
  trigger: string;
  payload: unknown;
  /** The past run whose event it gets, instead of the payload. */
  past: string | null;
  /** Makes reads only, and uses the pinned outputs. */
  isDryRun: boolean;
};

/** Starts a run of the stored draft. */
export function startDraft(api: ApiClient, { workflow, trigger, payload, past, isDryRun }: Start) {
  const params = { workflow };
  if (isDryRun) {
    const dryRun = { draft: true, dry_run: true, draft_pins: true };
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
