import { type Json, parseJson, toJsonText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { checkJson } from "../../lib/json/check-json.ts";
import {
  type Cut,
  type CutParts,
  type CutText,
  cutNoteBytes,
  cutParts,
  writeCuts,
} from "../../lib/json/cut-json.ts";
import { pickResult, reachesField } from "../../lib/json/pick-fields.ts";
import { toTooLargeValue } from "../../lib/json/plain-json.ts";
import type { BodyForm } from "../../lib/streams/unread-body.ts";
import { holdsSecret } from "../../secrets/masks/holds-secret.ts";
import { createMaskWithSealer, type Mask } from "../../secrets/masks/mask.ts";
import { cutSealedText } from "../masking/cut-sealed-text.ts";
import type { AnswerJob, JobPart, Questions, ReadAnswer, Replies } from "./answer-job.ts";
import { createRemoteSealer } from "./remote-sealer.ts";

/**
 * Reads a large answer, cuts it to the limit, seals it and cuts it again. So the searched value is
 * never larger than the result. `ask` gets the tokens from the thread that has the keys.
 */
export async function readAnswer(
  job: AnswerJob,
  ask: (questions: Questions) => Promise<Replies>,
): Promise<ReadAnswer> {
  const remote = createRemoteSealer();
  const mask = createMaskWithSealer(remote.sealer, job.isMaskingEnabled);
  addSecrets(mask, job);
  if (job.searched !== undefined) {
    const text = String(holdsSecret(mask, job.searched));
    return { text, auditText: text };
  }
  const cutText = (text: string, bytesMax: number) =>
    cutSealedText(mask.cutText(text, bytesMax), bytesMax);
  const cutList = (items: readonly unknown[], end: number) => mask.cutList(items, end);

  const whole = readValue(job, cutText);
  const value = job.fields === undefined ? whole : pickResult(whole, job.fields);
  const shortened = listShortened(job);
  const first = cutParts(value, toSizeLimit(job, shortened.length > 0), cutText, cutList);
  const wanted = first === null ? value : first.kept;
  let sealed = mask.sealJson(wanted);
  for (let questions = remote.take(); questions !== null; questions = remote.take()) {
    remote.learn(questions, await ask(questions));
    sealed = mask.sealJson(wanted);
  }

  if (first === null && shortened.length === 0) return present(job, sealed, null);
  const missing = shortened.reduce((chars, { kept, of }) => chars + of - kept, 0);
  const bytes = missing + (first?.bytes ?? Buffer.byteLength(toJsonText(value)));
  return present(job, sealed, { cuts: [...shortened, ...(first?.cuts ?? [])], bytes });
}

/** The size limit of a value. A note on the cuts needs some of it. */
function toSizeLimit({ resultBytesMax }: AnswerJob, isCut: boolean): number {
  return isCut ? resultBytesMax - cutNoteBytes : resultBytesMax;
}

function addSecrets(
  mask: Pick<Mask, "addSecret" | "addSecretIgnoreCase">,
  { secrets }: AnswerJob,
): void {
  for (const { text, ignoreCase, ...options } of secrets) {
    if (ignoreCase) mask.addSecretIgnoreCase(text, options);
    else mask.addSecret(text, options);
  }
}

/**
 * Tokens may be longer than the texts that they replace, so the sealed value may need another cut.
 */
function present(
  job: AnswerJob,
  sealed: Json,
  before: Pick<CutParts, "cuts" | "bytes"> | null,
): ReadAnswer {
  const { resultBytesMax, auditBytesMax } = job;
  const again = cutParts(sealed, toSizeLimit(job, before !== null), cutSealedText);
  const result = joinCuts(again?.kept ?? sealed, before, again);
  const text = writeWith(result, resultBytesMax);
  // For example, a number with a million digits cannot be cut.
  if (Buffer.byteLength(text) > resultBytesMax) throw toTooLargeValue();
  if (Buffer.byteLength(text) <= auditBytesMax) return { text, auditText: text };
  const cut = cutParts(result.kept, auditBytesMax - cutNoteBytes, cutSealedText);
  const audited = joinCuts(cut?.kept ?? result.kept, result, cut);
  return { text, auditText: writeWith(audited, auditBytesMax) };
}

type Kept = { kept: Json; cuts: readonly Cut[]; bytes: number | null };

function joinCuts(
  kept: Json,
  before: Pick<Kept, "cuts" | "bytes"> | null,
  after: CutParts | null,
): Kept {
  const cuts = [...(before?.cuts ?? []), ...(after?.cuts ?? [])];
  return { kept, cuts, bytes: before?.bytes ?? after?.bytes ?? null };
}

function writeWith({ kept, cuts, bytes }: Kept, bytesMax: number): string {
  return toJsonText(bytes === null ? kept : writeCuts({ kept, cuts, bytes }, bytesMax));
}

/** The texts that were shortened before the worker received them. */
function listShortened({ parts, fields }: AnswerJob): Cut[] {
  return parts.flatMap((part) =>
    "chars" in part &&
    part.chars > part.bytesMax &&
    (fields === undefined || reachesField(part.path, fields))
      ? [{ path: part.path.join(".") || "$", kept: part.bytesMax, of: part.chars }]
      : [],
  );
}

function readValue({ text, parts }: AnswerJob, cutText: CutText): Json {
  const holder = { value: parseJson(text) };
  for (const part of parts) setAtPath(holder, part.path, readPart(part, cutText));
  return holder.value;
}

/** Parsed JSON has own members only, so `__proto__` in a path is a normal key. */
function setAtPath(holder: { value: Json }, path: JobPart["path"], value: Json): void {
  let container: Record<string | number, Json> = holder;
  let key: string | number = "value";
  for (const step of path) {
    // The path was written together with the text, so each step is an array or an object.
    container = container[key] as Record<string | number, Json>;
    key = step;
  }
  container[key] = value;
}

function readPart(part: JobPart, cutText: CutText): Json {
  if ("bytes" in part) return readBody(part.bytes, part.form);
  const { text, bytesMax, chars } = part;
  return chars > bytesMax ? cutText(text, bytesMax) : text;
}

function readBody(bytes: Uint8Array, form: BodyForm): Json {
  if (form.kind === "maybe-text") {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return form.otherwise;
    }
  }
  // A plugin's JSON must be valid UTF-8. In a server's text, invalid bytes are replaced.
  const fatal = form.kind === "json";
  const decoder = new TextDecoder((form.charset ?? "utf-8") as Bun.Encoding, { fatal });
  if (form.kind === "text") return decoder.decode(bytes);
  try {
    const text = decoder.decode(bytes);
    checkJson(text);
    return form.kind === "json" ? parseJson(text) : parseOrKeep(text);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError(
      "upstream_error",
      "The plugin returned invalid JSON. Report this to the plugin's author.",
    );
  }
}

function parseOrKeep(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
