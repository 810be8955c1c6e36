import { isUtf8 } from "node:buffer";
import { type Json, parseJson, toJsonText } from "@hub/connector";
import { largeBytes, yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import { createMask, type Mask } from "../../../secrets/masks/mask.ts";
import { createRowSecrets } from "../../../secrets/masks/row-secrets.ts";
import { noRowId } from "../../../secrets/value-tokens/no-row-id.ts";
import type { RowTokens } from "../../../secrets/value-tokens/sealer.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { findContentType } from "../../webhooks/body/content-type.ts";
import {
  decodeText,
  findEncoding,
  isWideCharset,
  toBuffer,
} from "../../webhooks/body/decode-text.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { RunRequest } from "../accept/prepare-run.ts";
import { hasMoreChars } from "./has-text.ts";
import { largeChars, type SealLarge } from "./seal-large.ts";

type SealDeps = {
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
};

/** Replaces the workflow's secrets in what starts a run, before it is stored. */
export async function sealEvent(deps: SealDeps, request: RunRequest): Promise<RunRequest> {
  const opened = await openSeal(deps, request.workflow);
  if (opened === null) return request;
  const { mask, seal } = opened;
  const { raw, deliveryId, context, steps } = request;
  return {
    ...request,
    payload: await seal(request.payload),
    // Equal texts have equal tokens, so a second delivery is still recognized.
    ...(deliveryId != null && { deliveryId: mask.sealText(deliveryId) }),
    ...(raw != null && { raw: await sealBytes(request, raw, seal) }),
    ...(context?.pins !== undefined && {
      context: { ...context, pins: await sealPins(context.pins, seal) },
    }),
    ...(steps !== undefined && {
      steps: await Promise.all(steps.map((step) => sealStep(step, seal))),
    }),
  };
}

/** The same for the outputs of steps that a person gives. */
export async function sealSteps(
  deps: SealDeps,
  workflow: KnownWorkflow,
  steps: readonly StepRecord[],
): Promise<StepRecord[]> {
  const opened = await openSeal(deps, workflow);
  if (opened === null) return [...steps];
  return await Promise.all(steps.map((step) => sealStep(step, opened.seal)));
}

/** Null if the workflow has no secrets. */
async function openSeal(
  { ring, isMaskingEnabled: enabled, rowTokens, sealLarge }: SealDeps,
  workflow: KnownWorkflow,
): Promise<{ mask: Mask; seal: Seal } | null> {
  const secrets = await workflow.secrets();
  const managed = [...((await workflow.managed?.()) ?? new Map()).values()];
  if (secrets.size + managed.length === 0) return null;
  const userId = workflow.ownerId;
  const mask = createMask({ ring: ring.current(), userId, enabled, rowTokens });
  for (const text of secrets.values()) mask.addSecret(text);
  const texts = managed.flatMap(({ text, former }) => (text === null ? former : [text, ...former]));
  if (texts.length > 0) {
    // As in `load-claimed-run.ts`: the tokens open nowhere.
    mask.bindRow(noRowId);
    mask.addRowSecrets(createRowSecrets(texts).strong());
  }
  const seal = (value: Json) =>
    hasMoreChars(value, largeChars)
      ? sealLarge(userId, mask, value)
      : (mask.sealJson(value) as Json);
  return { mask, seal };
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

/** Bytes without a secret stay as they are, and so do those around one, also if they are no text. */
async function sealBytes(
  { payload }: Pick<RunRequest, "payload">,
  raw: Uint8Array,
  seal: (text: string) => Json | Promise<Json>,
): Promise<Uint8Array> {
  const { charset } = findContentType(Object(payload));
  // The other charsets write the letters of ASCII as UTF-8 does.
  if (isWideCharset(charset)) return await sealWide(raw, charset, seal);
  const text = decodeText(raw, null);
  const sealed = await seal(text);
  // Before the event is stored, other requests work.
  if (raw.byteLength > largeBytes) await yieldToEventLoop();
  if (sealed === text) return raw;
  if (isUtf8(raw)) return new TextEncoder().encode(String(sealed));
  const kept = Buffer.from(String(await seal(toBuffer(raw).toString("latin1"))), "latin1");
  const rest = decodeText(kept, null);
  const resealed = await seal(rest);
  // A secret with other letters than those of ASCII.
  return resealed === rest ? kept : new TextEncoder().encode(String(resealed));
}

async function sealWide(
  raw: Uint8Array,
  charset: string | null,
  seal: (text: string) => Json | Promise<Json>,
): Promise<Uint8Array> {
  const text = decodeText(raw, charset);
  const sealed = await seal(text);
  if (sealed === text) return raw;
  const bytes = Buffer.from(String(sealed), "utf16le");
  return findEncoding(charset) === "utf-16be" ? bytes.swap16() : bytes;
}
