import { type Json, parseJson, toJsonText } from "@hub/connector";
import { createMask } from "../../secrets/mask.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import type { StepRecord } from "../../store/workflow-run-records.ts";
import { hasText } from "./has-text.ts";
import type { RunRequest } from "./prepare-run.ts";
import { largeChars, type SealLarge } from "./seal-large.ts";

type SealDeps = {
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
};

/** Replaces the workflow's secrets in what starts a run, before it is stored. */
export async function sealEvent(
  { ring, isMaskingEnabled: enabled, rowTokens, sealLarge }: SealDeps,
  request: RunRequest,
): Promise<RunRequest> {
  const secrets = await request.workflow.secrets();
  if (secrets.size === 0) return request;
  const userId = request.workflow.ownerId;
  const mask = createMask({ ring: ring.current(), userId, enabled, rowTokens });
  for (const text of secrets.values()) mask.addSecret(text);
  const { raw, deliveryId, given, steps } = request;
  const seal = (value: Json) =>
    isLarge(value) ? sealLarge(userId, mask, value) : (mask.sealJson(value) as Json);
  return {
    ...request,
    payload: await seal(request.payload),
    // Equal texts have equal tokens, so a second delivery is still recognized.
    ...(deliveryId != null && { deliveryId: mask.sealText(deliveryId) }),
    ...(raw !== undefined && { raw: await sealBytes(raw, seal) }),
    ...(given?.pins !== undefined && {
      given: { ...given, pins: await sealPins(given.pins, seal) },
    }),
    ...(steps !== undefined && {
      steps: await Promise.all(steps.map((step) => sealStep(step, seal))),
    }),
  };
}

type Seal = (value: Json) => Json | Promise<Json>;

async function sealPins(pins: Record<string, Json>, seal: Seal): Promise<Record<string, Json>> {
  const sealed: Record<string, Json> = {};
  for (const [id, value] of Object.entries(pins)) sealed[id] = await seal(value);
  return sealed;
}

async function sealStep(step: StepRecord, seal: Seal): Promise<StepRecord> {
  if (step.output === null) return step;
  return { ...step, output: toJsonText(await seal(parseJson(step.output))) };
}

/** Bytes without a secret stay as they are, also if they are no text. */
async function sealBytes(
  raw: Uint8Array,
  seal: (text: string) => Json | Promise<Json>,
): Promise<Uint8Array> {
  const text = new TextDecoder().decode(raw);
  const sealed = await seal(text);
  return sealed === text ? raw : new TextEncoder().encode(String(sealed));
}

function isLarge(value: Json): boolean {
  let chars = 0;
  return hasText(value, ({ length }) => {
    chars += length;
    return chars > largeChars;
  });
}
