import { toJsonText } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { findJsonExcess } from "../../../lib/json/scan-json.ts";
import { answerDepthMax, loopBytesMax, loopValuesMax } from "../../../lib/limits/answer-limits.ts";
import {
  answerHeaderCharsMax,
  answerHeadersMax,
  isAnswerHeader,
  isHeaderName,
  isHeaderValue,
  readRedirect,
} from "../../webhooks/answer/answer-headers.ts";
import { findEffects } from "../step/node-effects.ts";
import { computeStep, type OpenStep } from "../step/open-step.ts";
import type { WebhookAnswer } from "../walk/webhook-answer.ts";

/** Answers the request that started the run. */
export const openWebhookRespond: OpenStep<"webhook_respond"> = (ctx, node) => {
  const body = toText(ctx.render(node.respond_body));
  const answer: WebhookAnswer = {
    status: toStatus(ctx.render(node.respond_status)),
    headers: toHeaders(node.respond_headers, ctx.render(node.respond_headers), body),
    body,
  };
  const { changes } = findEffects(node);
  const step = computeStep(answer, () => ({ kind: "done", output: answer, isAnswer: true }));
  return { ...step, changes, dryRun: async () => ({ output: answer }) };
};

function toStatus(value: unknown): number {
  const status = typeof value === "string" && /^\d{3}$/.test(value.trim()) ? Number(value) : value;
  if (typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599)
    return status;
  throw refuse("`respond_status` is not a status from 200 to 599. Check its template.");
}

function toHeaders(
  templates: Record<string, string>,
  value: unknown,
  body: string,
): Record<string, string> {
  const entries = Object.entries(Object(value)).map(
    ([name, text]) => [name, toText(text)] as const,
  );
  if (entries.length > answerHeadersMax) {
    throw refuse(`An answer has at most ${answerHeadersMax} headers.`);
  }
  const headers = new Map<string, string>();
  for (const [name, text] of entries) {
    checkHeader(name, text);
    const lower = name.toLowerCase();
    headers.set(lower, lower === "location" ? toRedirect(text, templates[name] ?? "") : text);
  }
  if (!headers.has("content-type")) headers.set("content-type", detectType(body));
  return Object.fromEntries(headers);
}

function checkHeader(name: string, text: string): void {
  if (!isHeaderName(name)) {
    throw refuse(
      `"${name.slice(0, 128)}" is not the name of a header. Use letters, digits and hyphens.`,
    );
  }
  if (!isAnswerHeader(name)) {
    throw refuse(`A workflow cannot set the header ${name}. Remove it from the node.`);
  }
  if (!isHeaderValue(text)) {
    throw refuse(
      `The value of the header ${name} has control characters, characters beyond Latin-1, or more than ${answerHeaderCharsMax} characters. Check its template.`,
    );
  }
}

function toRedirect(text: string, template: string): string {
  const address = readRedirect(text, template);
  if (address !== null) return address;
  throw refuse(
    "The header Location leads to an address whose host does not stand in the node. Write its beginning there, as in https://example.com/orders/{{.Event.Payload.body.id}}.",
  );
}

/** `application/json` if the body is a JSON document, else `text/plain`. A long body is told by its first and last character. */
export function detectType(body: string): string {
  return isJson(body) ? "application/json" : "text/plain; charset=utf-8";
}

function isJson(body: string): boolean {
  // Only a text that could be JSON is parsed.
  if (!/^\s*(?:[[{"\d-]|true|false|null)/.test(body)) return false;
  if (isLong(body)) return /^(?:\[.*\]|\{.*\}|".*")$/s.test(body.trim());
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** Parsing MiB of JSON, or many levels, would hold the event loop. */
function isLong(body: string): boolean {
  if (body.length <= checkedCharsMin) return false;
  const limits = { depthMax: answerDepthMax, valuesMax: loopValuesMax };
  return body.length > loopBytesMax || findJsonExcess(body, limits) !== null;
}

const checkedCharsMin = 32 * 1024;

function toText(value: unknown): string {
  return typeof value === "string" ? value : toJsonText(value);
}

function refuse(message: string): HubError {
  return new HubError("invalid_params", message);
}
