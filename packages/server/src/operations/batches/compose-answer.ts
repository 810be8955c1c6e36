import { type Json, toJsonText } from "@hub/connector";
import type { HubError } from "../../errors.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import type { Admitted, ToolCall } from "../admission/call.ts";
import { ComposedAnswer, type ComposedFailure } from "../answers/composed-answer.ts";
import { toSentName } from "../catalogue/sent-name.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import { cutSealedText } from "../masking/cut-sealed-text.ts";
import type { ExecuteRequest } from "../operations.ts";
import type { InnerAnswer } from "./inner-calls.ts";

/** The least that each result of a batch may have. */
const resultBytesMin = 8 * 1024;

/** How many bytes each of so many results may have. */
export function shareResultBytes(resultBytesMax: number, count: number): number {
  return Math.min(resultBytesMax, Math.max(resultBytesMin, Math.floor(resultBytesMax / count)));
}

/** The answer to a batch: its results in order. Their texts are sealed, and written as they are. */
export function composeAnswer(
  calls: readonly ExecuteRequest[],
  answers: readonly InnerAnswer[],
  targets: ReadonlyMap<ExecuteRequest, Admitted<ToolCall>>,
  bytesMax: number,
): ComposedAnswer {
  const results = answers.map((answer, index) => {
    const call = calls[index] ?? { toolId: "", params: {} };
    return writeResult(nameCall(call, targets.get(call)), answer, bytesMax);
  });
  return new ComposedAnswer({
    text: `{"results":[${results.join(",")}]}`,
    summary: summarize(answers),
    failure: findFailure(answers),
  });
}

/** The whole id of what was called; before it is known, what was sent in its place. */
function nameCall(
  call: ExecuteRequest,
  target: Admitted<ToolCall> | undefined,
): Record<string, string> {
  if (target === undefined) return toSentName(call);
  return { tool_id: toToolId(target.row.id, target.operation.key) };
}

function writeResult(name: Record<string, string>, answer: InnerAnswer, bytesMax: number): string {
  const { status } = answer;
  const head = { ...name, status };
  if (answer.status === "success")
    return `${toJsonText(head).slice(0, -1)},"result":${answer.text}}`;
  const { message: error, code, detail } = answer.error;
  const fixed = { ...head, error, code };
  // The order of the first, and the values of the last: a connector's detail replaces none of them.
  const entry = { ...fixed, ...detail, ...fixed };
  const text = toJsonText(entry);
  if (Buffer.byteLength(text) <= bytesMax) return text;
  // Safe: a failure's detail is a record of JSON values.
  return toJsonText(cutJson(entry as Json, bytesMax, cutSealedText));
}

/** How many calls ended in which way. */
function summarize(answers: readonly InnerAnswer[]): Json {
  const counts: Record<string, number> = { calls: answers.length };
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function findFailure(answers: readonly InnerAnswer[]): ComposedFailure | null {
  let first: HubError | null = null;
  for (const answer of answers) {
    if (answer.status === "success") return null;
    first ??= answer.error;
  }
  if (first === null) return null;
  const { code, message } = first;
  if (answers.length === 1) return { code, message };
  return { code, message: `None of the ${answers.length} calls succeeded. The first: ${message}` };
}
