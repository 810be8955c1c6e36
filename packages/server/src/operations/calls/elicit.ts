import { isJsonObject } from "@hub/connector";
import type { ConnectorCall } from "../../connectors/connector-port.ts";
import type { ElicitedAnswer, ElicitedForm } from "../../connectors/elicited-form.ts";
import { sealMessage } from "../masking/seal-message.ts";
import type { CallContext } from "../operations.ts";
import { showText } from "../pending/show-params.ts";
import type { Recording } from "../records/recording.ts";

/** A system that asks again and again is stopped. */
const formsMax = 5;
const textCharsMax = 10_000;

/**
 * How a connector asks the person whose client makes a call; undefined if that client cannot be asked within it. The calls
 * of a script or a message with several calls ask nothing: their forms would not say which call they are about. What is
 * shown is masked as a result is, and names the row that gets the answer. The answer is passed on as it is: value tokens in
 * it stay unopened.
 */
export function createElicit(
  { client, askClient, cause }: CallContext,
  { mask }: Pick<Recording, "mask">,
  rowLabel: string,
): ConnectorCall["elicit"] {
  if (askClient === undefined || client?.elicitation.form !== true || cause !== undefined) {
    return undefined;
  }
  let forms = 0;
  return async ({ message, requestedSchema }) => {
    forms += 1;
    if (forms > formsMax) return null;
    const asked = showText(sealMessage(mask, message));
    const result = await askClient({
      method: "elicitation/create",
      params: {
        mode: "form",
        message: `"${rowLabel}" asks: ${asked}\n\nThis answer goes to "${rowLabel}".`,
        requestedSchema: mask.sealJson(requestedSchema),
      },
    });
    return readAnswer(result, requestedSchema);
  };
}

/** Null for what is not an answer to this form. */
function readAnswer(
  result: unknown,
  { properties }: ElicitedForm["requestedSchema"],
): ElicitedAnswer | null {
  if (!isJsonObject(result)) return null;
  const { action, content = {} } = result;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(content)) return null;
  const answered = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(content)) {
    if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) continue;
    if (!isFieldValue(value)) return null;
    answered.set(name, value);
  }
  return { action, content: Object.fromEntries(answered) };
}

type FieldValue = Extract<ElicitedAnswer, { action: "accept" }>["content"][string];

function isFieldValue(value: unknown): value is FieldValue {
  if (typeof value === "string") return value.length <= textCharsMax;
  if (Array.isArray(value)) {
    return (
      value.length <= 100 && value.every((one) => typeof one === "string" && one.length <= 1000)
    );
  }
  return typeof value === "number" || typeof value === "boolean";
}
