import { HubError } from "../errors.ts";
import { answerDepthMax, answerValuesMax, loopBytesMax, loopValuesMax } from "./answer-limits.ts";
import { findJsonExcess } from "./scan-json.ts";

/** Shorter JSON is parsed in no time, whatever it holds. */
const checkedCharsMin = 32 * 1024;

/**
 * Throws `upstream_error` for JSON text of an answer that is too dear to parse: what is nested
 * without end takes far longer than anything else of its size.
 */
export function checkJson(text: string): void {
  if (text.length < checkedCharsMin) return;
  const excess = findJsonExcess(text, { depthMax: answerDepthMax, valuesMax: answerValuesMax });
  if (excess === "depth") throw toTooDeep();
  if (excess === "values") {
    throw new HubError(
      "upstream_error",
      `The answer is JSON with more than ${answerValuesMax.toLocaleString("en")} values, so it was not read. Ask for less at a time.`,
    );
  }
}

/** Whether JSON text may be parsed on the event loop. Throws like `checkJson`. */
export function isSmallJson(text: string): boolean {
  if (text.length < checkedCharsMin) return true;
  if (text.length > loopBytesMax) return false;
  const excess = findJsonExcess(text, { depthMax: answerDepthMax, valuesMax: loopValuesMax });
  if (excess === "depth") throw toTooDeep();
  return excess === null;
}

function toTooDeep(): HubError {
  return new HubError(
    "upstream_error",
    `The answer is JSON nested deeper than ${answerDepthMax} levels, so it was not read.`,
  );
}
