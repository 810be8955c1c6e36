import { type Json, parseJson } from "@hub/connector";
import { createMask } from "../../secrets/mask.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import { sealValue } from "../../secrets/value-tokens.ts";
import type { Db } from "../../store/database.ts";
import type { ClaimedRun } from "../../store/workflow-run-records.ts";
import { listSteps, readRunEvent } from "../../store/workflow-runs.ts";
import { toBasicCredentials } from "../templates/functions/basic-auth.ts";
import { openWebhookPayload } from "../webhooks/webhook-payload.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { Plan } from "./plan.ts";
import { toQueuePolicy } from "./prepare-run.ts";
import { createStepSealer } from "./seal-steps.ts";
import type { WalkStart } from "./walk-state.ts";

type LoadDeps = {
  db: Db;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
};

/** A claimed run, and the body that it was accepted with if this process has it in memory. */
export type LoadedFrom = { run: ClaimedRun; raw?: Uint8Array | null; isNew: boolean };

/** Reads what a run needs to go on. */
export async function loadRun(
  deps: LoadDeps,
  { run, raw, isNew }: LoadedFrom,
  workflow: KnownWorkflow,
  plan: Plan,
): Promise<WalkStart> {
  const secrets = await workflow.secrets();
  const steps = isNew ? [] : await listSteps(deps.db, run.id);
  const body = raw === undefined ? ((await readRunEvent(deps.db, run.id))?.raw ?? null) : raw;
  const seal = (text: string) =>
    deps.isMaskingEnabled
      ? sealValue(deps.ring.current(), { userId: run.ownerId, rowId: null }, text)
      : text;
  return {
    run,
    plan,
    steps,
    queue: toQueuePolicy(plan),
    sealer: createStepSealer(createRunMask(deps, run, secrets)),
    data: {
      Event: openEvent(run, body),
      Node: Object.create(null),
      Env: plan.body.settings.env,
      Run: { ID: run.id, At: new Date(run.createdAt).toISOString(), ParentID: run.parentRunId },
      Workflow: { ID: workflow.id, Name: workflow.name, Version: run.version },
      secret(name) {
        const text = secrets.get(name);
        return text === undefined ? null : seal(text);
      },
      basicCredentials(user, name) {
        const text = secrets.get(name);
        return text === undefined ? null : seal(toBasicCredentials(user, text));
      },
    },
  };
}

function openEvent(run: ClaimedRun, raw: Uint8Array | null): Json {
  const event = parseJson(run.event);
  if (raw === null || typeof event !== "object" || event === null) return event;
  // Safe: `prepareRun` wrote it.
  const { Payload } = event as { Payload: Record<string, Json> };
  return { ...event, Payload: openWebhookPayload(Payload, raw) };
}

/** The secrets of the workflow, which events and answers can repeat. Null if there are none. */
function createRunMask(deps: LoadDeps, run: ClaimedRun, secrets: ReadonlyMap<string, string>) {
  if (secrets.size === 0) return null;
  const { isMaskingEnabled: enabled, rowTokens } = deps;
  const mask = createMask({ ring: deps.ring.current(), userId: run.ownerId, enabled, rowTokens });
  for (const text of secrets.values()) mask.addSecret(text);
  return mask;
}
