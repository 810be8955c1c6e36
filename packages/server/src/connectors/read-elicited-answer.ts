import { isJsonObject } from "@hub/connector";
import type { ElicitedAnswer } from "./elicitation.ts";

const textCharsMax = 10_000;

/**
 * The answer of a client to a form with these fields, or to a page, which has none. Values are passed on as they are: value
 * tokens in them stay unopened. Null for what is not such an answer.
 */
export function readElicitedAnswer(
  result: unknown,
  fields: ReadonlySet<string> | null,
): ElicitedAnswer | null {
  if (!isJsonObject(result)) return null;
  const { action, content = {} } = result;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return null;
  if (fields === null) return { action };
  if (!isJsonObject(content)) return null;
  const answered = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(content)) {
    if (!fields.has(name)) continue;
    if (!isFieldValue(value)) return null;
    answered.set(name, value);
  }
  return { action, content: Object.fromEntries(answered) };
}

type FieldValue = NonNullable<Extract<ElicitedAnswer, { action: "accept" }>["content"]>[string];

function isFieldValue(value: unknown): value is FieldValue {
  if (typeof value === "string") return value.length <= textCharsMax;
  if (Array.isArray(value)) {
    return (
      value.length <= 100 && value.every((one) => typeof one === "string" && one.length <= 1000)
    );
  }
  return typeof value === "number" || typeof value === "boolean";
}

/** The names of the fields of a form's schema. */
export function listFields({ properties }: Readonly<Record<string, unknown>>): string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
