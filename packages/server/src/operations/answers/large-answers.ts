import type { Json } from "@hub/connector";
import { parseJson } from "@hub/connector";
import type { FieldPaths } from "../../lib/json/pick-fields.ts";
import type { LargePart, WrittenValue } from "../../lib/json/write-json.ts";
import { answerBytesMax } from "../../lib/limits/answer-limits.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { findReach } from "../../secrets/masks/find-cut.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { JobPart, Questions, ReadAnswer, Replies } from "./answer-job.ts";
import type { WorkerQueue } from "./worker-queue.ts";

/** An answer that is read and sealed off the event loop. */
export class LargeAnswer {
  readonly written: WrittenValue;

  constructor(written: WrittenValue) {
    this.written = written;
  }
}

type SealRequest = {
  userId: string;
  mask: Pick<Mask, "listSecrets" | "sealer">;
  isMaskingEnabled: boolean;
  resultBytesMax: number;
  auditBytesMax: number;
  fields?: FieldPaths;
};

/** Seals a large answer. Rejects with a HubError if the answer cannot be searched for secrets. */
export async function sealLargeAnswer(
  queue: WorkerQueue,
  { userId, mask, ...rest }: SealRequest,
  { written }: LargeAnswer,
): Promise<ReadAnswer> {
  const secrets = mask.listSecrets();
  const job = {
    ...rest,
    text: written.text,
    parts: toJobParts(written.parts, findReach(secrets)),
    secrets,
  };
  return await queue.read(userId, job, (questions) => answer(mask, questions));
}

/** Whether binary content contains a secret. Rejects with a HubError if it cannot be searched. */
export async function searchLargeContent(
  queue: WorkerQueue,
  { userId, mask, isMaskingEnabled }: Pick<SealRequest, "userId" | "mask" | "isMaskingEnabled">,
  searched: Uint8Array,
): Promise<boolean> {
  const secrets = mask.listSecrets();
  if (!isMaskingEnabled || secrets.length === 0) return false;
  const limits = { resultBytesMax: answerBytesMax, auditBytesMax: answerBytesMax };
  const job = { text: "null", parts: [], secrets, isMaskingEnabled, ...limits, searched };
  const { text } = await queue.read(userId, job, (questions) => answer(mask, questions));
  return text !== "false";
}

/** After this many characters, the event loop gets a turn. */
const portionChars = 64 * 1024;
/** The fixed cost of sealing one text, expressed in characters. */
const sealChars = 2048;

/** Makes the tokens that the worker asks for, in portions. One token takes about 40 µs. */
async function answer({ sealer }: SealRequest["mask"], questions: Questions): Promise<Replies> {
  const replies: Replies = { tokens: [], genuine: [] };
  let left = portionChars;
  const spend = async (chars: number) => {
    left -= chars + sealChars;
    if (left > 0) return;
    left = portionChars;
    await yieldToEventLoop();
  };
  for (const { text, ofRow } of questions.seal) {
    replies.tokens.push(sealer.seal(text, ofRow));
    await spend(text.length);
  }
  for (const token of questions.genuine) {
    replies.genuine.push(sealer.isGenuine(token));
    await spend(token.length);
  }
  return replies;
}

/** Shortens long texts, so that all texts together fit into one answer. */
function toJobParts(parts: readonly LargePart[], reach: number): JobPart[] {
  const lengths = parts.flatMap(({ content }) =>
    typeof content === "string" ? content.length : [],
  );
  const bytesMax = findShare(lengths, answerBytesMax);
  return parts.map(({ path, content }) =>
    typeof content === "string"
      ? { path, text: content.slice(0, bytesMax + reach), bytesMax, chars: content.length }
      : { path, bytes: content.bytes, form: content.form },
  );
}

/** The length to which each text is cut, so that all fit together. */
function findShare(lengths: readonly number[], sumMax: number): number {
  let left = sumMax;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** The result of a sealed answer. The text is parsed only if a caller reads `value`. */
export function toLazyResult(
  { text }: ReadAnswer,
  runId: string,
): { value: Json; text: string; runId: string } {
  return {
    get value() {
      return parseJson(text);
    },
    text,
    runId,
  };
}
