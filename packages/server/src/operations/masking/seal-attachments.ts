import { type Json, toJsonText } from "@hub/connector";
import type { ContentBlock } from "../../connectors/connector-port.ts";
import { writeJson } from "../../lib/json/write-json.ts";
import { answerBytesMax, loopBytesMax } from "../../lib/limits/answer-limits.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { holdsSecret } from "../../secrets/masks/holds-secret.ts";
import { TooManySecretsError } from "../../secrets/masks/limit-seals.ts";
import { LargeAnswer, sealLargeAnswer, searchLargeContent } from "../answers/large-answers.ts";
import type { CallContext } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import type { SealDeps } from "./seal-result.ts";

/**
 * The content blocks of a call as JSON texts; null if it has none. Texts are sealed. Binary content that
 * contains a secret is replaced by a sentence, because a token in it would break it.
 */
export async function sealAttachments(
  deps: SealDeps,
  ctx: CallContext,
  recording: Recording,
): Promise<string[] | null> {
  const blocks = recording.attachments.list();
  // The result of such a call is left out too.
  if (blocks.length === 0 || recording.callMask.hasTooManySecrets()) return null;
  const texts: string[] = [];
  let loopBytesLeft = loopBytesMax;
  for (const { kind, members, bytes } of blocks) {
    const isSmall = takeLoopBytes(members, bytes);
    if (bytes !== undefined && (await isExposed(deps, ctx, recording, bytes, isSmall))) {
      texts.push(toJsonText({ type: "text", text: exposedText }));
      continue;
    }
    const sealed = await sealMembers(deps, ctx, recording, members, isSmall);
    texts.push(writeBlock(kind, sealed, bytes));
    if (!isSmall) await yieldToEventLoop();
  }
  return texts;

  function takeLoopBytes(members: ContentBlock["members"], bytes?: Uint8Array): boolean {
    const { text = "" } = members;
    loopBytesLeft -= bytes?.byteLength ?? String(text).length;
    return loopBytesLeft >= 0;
  }
}

const exposedText = "This content is left out, because it contains a secret of the call.";

async function isExposed(
  { answerWorker, isMaskingEnabled }: SealDeps,
  { caller: { userId } }: CallContext,
  { mask }: Recording,
  bytes: Uint8Array,
  isSmall: boolean,
): Promise<boolean> {
  if (!isMaskingEnabled) return false;
  if (isSmall) return holdsSecret(mask, bytes);
  return await searchLargeContent(answerWorker, { userId, mask, isMaskingEnabled }, bytes);
}

/** Returns JSON text. */
async function sealMembers(
  { answerWorker, isMaskingEnabled }: SealDeps,
  { caller: { userId } }: CallContext,
  { mask, callMask }: Recording,
  members: Record<string, Json>,
  isSmall: boolean,
): Promise<string> {
  try {
    if (isSmall) return toJsonText(mask.sealJson(members));
  } catch (thrown) {
    if (!(thrown instanceof TooManySecretsError)) throw thrown;
  }
  const limits = { resultBytesMax: answerBytesMax, auditBytesMax: answerBytesMax };
  const request = { userId, mask, isMaskingEnabled, ...limits };
  const large = new LargeAnswer(await writeJson({ yieldToEventLoop }, members));
  return callMask.clean((await sealLargeAnswer(answerWorker, request, large)).text);
}

/** A block as MCP writes it. `members` is the JSON text of an object with members. */
function writeBlock(kind: ContentBlock["kind"], members: string, bytes?: Uint8Array): string {
  const inner = members.slice(1, -1);
  const base64 = bytes?.toBase64();
  if (kind === "resource") {
    const blob = base64 === undefined ? "" : `,"blob":"${base64}"`;
    return `{"type":"resource","resource":{${inner}${blob}}}`;
  }
  const data = base64 === undefined ? "" : `,"data":"${base64}"`;
  return `{"type":"${kind}",${inner}${data}}`;
}
