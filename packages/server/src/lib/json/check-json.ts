import { HubError } from "../../errors.ts";
import {
  answerDepthMax,
  answerValuesMax,
  loopBytesMax,
  loopValuesMax,
} from "../limits/answer-limits.ts";
import { findJsonExcess } from "./scan-json.ts";

/** Shorter JSON is always cheap to parse. */
const checkedCharsMin = 32 * 1024;

/**
 * Throws `upstream_error` for an answer whose JSON is too expensive to parse: deep nesting takes much
 * longer than other text of the same size.
 */
export function checkJson(text: string): void {
  if (text.length < checkedCharsMin) return;
  const excess = findJsonExcess(text, { depthMax: answerDepthMax, valuesMax: answerValuesMax });
  if (excess === "depth") throw toTooDeep();
  if (excess === "values") {
    throw new HubError(
      "upstream_error",
      `The answer is JSON with more than ${answerValuesMax.toLocaleString("en")} values, so it was not read. Request less data at a time.`,
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
