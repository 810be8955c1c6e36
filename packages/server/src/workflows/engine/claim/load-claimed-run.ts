import { type Json, parseJson } from "@hub/connector";
import type { HubError } from "../../../errors.ts";
import { largeBytes, yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import { createRowSecrets } from "../../../secrets/masks/row-secrets.ts";
import { toBasicCredentials } from "../../../secrets/needles/basic-credentials.ts";
import { sealManagedUse } from "../../../secrets/value-tokens/managed-tokens.ts";
import { noRowId } from "../../../secrets/value-tokens/no-row-id.ts";
import type { RowTokens } from "../../../secrets/value-tokens/sealer.ts";
import { sealValue, tokenPrefix } from "../../../secrets/value-tokens/value-tokens.ts";
import type { Db } from "../../../store/database/database.ts";
import type { ClaimedRun, StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { readRunEvent } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { listSteps } from "../../../store/workflow-runs/workflow-steps.ts";
import { findContentType } from "../../webhooks/body/content-type.ts";
import { decodeText, isWideCharset } from "../../webhooks/body/decode-text.ts";
import { openWebhookPayload } from "../../webhooks/body/webhook-payload.ts";
import type { KnownWorkflow, ManagedSecret } from "../../workflow-directory.ts";
import { toQueuePolicy } from "../accept/prepare-run.ts";
import { readRunContext } from "../accept/run-context.ts";
import type { RunPermit } from "../limits/run-capacity.ts";
import type { Plan } from "../plan.ts";
import { createRunMask, type RunMask, type UsedRow } from "../secrets/run-mask.ts";
import type { SealLarge } from "../secrets/seal-large.ts";
import { createStepSealer } from "../secrets/seal-steps.ts";
import { refuseOutputs, refuseStep } from "../step/step-failure.ts";
import type { WalkStart } from "../walk/walk-state.ts";

type LoadDeps = {
  db: Db;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
  /** The row of an operation with its secrets. Null if there is none now. */
  findUsedRow(toolId: string): Promise<UsedRow | null>;
};

/** A claimed run, and the body that it was accepted with if this process has it in memory. */
export type LoadedFrom = { run: ClaimedRun; raw?: Uint8Array | null; isNew: boolean };

export type LoadedWith = {
  workflow: KnownWorkflow;
  plan: Plan;
  /** Counts what is made of the body. False if the runs of the owner hold too much together. */
  addOutput: RunPermit["addOutput"];
};

/** Reads what a run needs to go on. */
export async function loadClaimedRun(
  deps: LoadDeps,
  { run, raw }: LoadedFrom,
  { workflow, plan, addOutput }: LoadedWith,
): Promise<Omit<WalkStart, "refusal">> {
  const secrets = await workflow.secrets();
  const managed = (await workflow.managed?.()) ?? new Map<string, ManagedSecret>();
  // With the first lease, no process has worked on the run before, but it may begin with steps.
  const isNew = run.lease.number === 1 && run.mode === "live" && run.originRunId === null;
  const steps = isNew ? [] : await listSteps(deps.db, run.id);
  const body = raw === undefined ? ((await readRunEvent(deps.db, run.id))?.raw ?? null) : raw;
  const hasLargeEvent = body !== null && body.byteLength > largeBytes;
  // What was before, such as the storing of the event, may have used most of a time slice.
  if (hasLargeEvent) await yieldToEventLoop();
  const mask = await openRunMask(deps, { run, plan, steps, body }, secrets);
  const managedTexts = [...managed.values()].flatMap(({ text, former }) =>
    text === null ? former : [text, ...former],
  );
  if (managedTexts.length > 0) {
    // A token that is made in their place opens nowhere.
    mask.addRow({ rowId: noRowId, secrets: createRowSecrets(managedTexts).strong() });
  }
  if (hasLargeEvent) await yieldToEventLoop();
  const seal = (text: string) => {
    if (!deps.isMaskingEnabled) return text;
    const token = sealValue(deps.ring.current(), { userId: run.ownerId, rowId: null }, text);
    mask.admitToken(token);
    return token;
  };
  const sealManaged = (name: string, user: string | null) => {
    const secret = managed.get(name);
    if (secret === undefined) return null;
    if (secret.failure !== null || secret.text === null) throw secret.failure ?? toUnread(name);
    // It names the reference, and calls of this row take the value. Elsewhere nothing opens it. Without masking, too.
    const owner = { userId: run.ownerId, rowId: secret.rowId ?? noRowId };
    const token = sealManagedUse(deps.ring.current(), owner, { reference: secret.id, user });
    mask.admitToken(token);
    return token;
  };
  return {
    run,
    plan,
    steps,
    context: readRunContext(run.context),
    queue: toQueuePolicy(plan),
    sealer: createStepSealer(mask),
    hasLargeEvent,
    data: {
      Event: openEvent(run, body, addOutput),
      Node: Object.create(null),
      Env: plan.body.settings.env,
      Run: { ID: run.id, At: new Date(run.createdAt).toISOString(), ParentID: run.parentRunId },
      Workflow: { ID: workflow.id, Name: workflow.name, Version: run.version },
      secret(name) {
        const text = secrets.get(name);
        return text === undefined ? sealManaged(name, null) : seal(text);
      },
      basicCredentials(user, name) {
        const text = secrets.get(name);
        if (text === undefined) return sealManaged(name, user);
        const credentials = toBasicCredentials(user, text);
        mask.addSecret(credentials);
        return seal(credentials);
      },
    },
  };
}

function toUnread(name: string): HubError {
  return refuseStep(`The secret ${name} cannot be read from its secret manager now.`);
}

function openEvent(
  run: ClaimedRun,
  raw: Uint8Array | null,
  addOutput: RunPermit["addOutput"],
): Json {
  const event = parseJson(run.event);
  if (raw === null || typeof event !== "object" || event === null) return event;
  // Safe: `prepareRun` wrote it.
  const { Payload } = event as { Payload: Record<string, Json> };
  const hold = (chars: number) => {
    if (!addOutput(chars)) throw refuseOutputs();
  };
  return { ...event, Payload: openWebhookPayload(Payload, raw, hold) };
}

/** The secrets that the run has met, also in the process that had it before. */
async function openRunMask(
  deps: LoadDeps,
  {
    run,
    plan,
    steps,
    body,
  }: { run: ClaimedRun; plan: Plan; steps: StepRecord[]; body: Uint8Array | null },
  secrets: ReadonlyMap<string, string>,
): Promise<RunMask> {
  const { isMaskingEnabled: enabled, rowTokens, sealLarge } = deps;
  const mask = createRunMask({
    ring: deps.ring.current(),
    userId: run.ownerId,
    enabled,
    rowTokens,
    sealLarge,
  });
  for (const text of secrets.values()) mask.addSecret(text);
  for (const toolId of listUsedTools(plan, steps)) {
    const row = await deps.findUsedRow(toolId);
    if (row !== null) mask.addRow(row);
  }
  for (const token of plan.tokens) mask.addTokens(token);
  mask.addTokens(run.event);
  if (run.context !== null) mask.addTokens(run.context);
  if (body !== null) {
    // The bytes are searched first, because most bodies have no token and need not be decoded.
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (bytes.includes(tokenPrefix)) mask.addTokens(bytes.toString("utf8"));
    const { charset } = findContentType(Object(Object(parseJson(run.event)).Payload));
    if (isWideCharset(charset)) mask.addTokens(decodeText(body, charset));
  }
  for (const { input, output } of steps) {
    if (input !== null) mask.addTokens(input);
    if (output !== null) mask.addTokens(output);
  }
  return mask;
}

/** The operations whose rows the run has used. A step without input was refused its row. */
function listUsedTools({ graph }: Plan, steps: readonly StepRecord[]): Set<string> {
  const toolIds = new Set<string>();
  for (const { nodeId, input } of steps) {
    const node = graph.nodes.get(nodeId);
    if (node?.type === "operation" && input !== null) toolIds.add(node.tool_id);
  }
  return toolIds;
}
