import { UpstreamError } from "@hub/connector";
import { findJsonExcess } from "../../lib/json/scan-json.ts";
import { answerDepthMax } from "../../lib/limits/answer-limits.ts";

/** Shorter messages are always cheap to parse. */
const checkedCharsMin = 32 * 1024;

/** More take longer than the event loop may be busy. The client library parses and checks them there. */
const valuesMax = 100_000;

/** Throws an UpstreamError for a message that is too expensive to parse. */
export function checkMessage(text: string): void {
  if (text.length < checkedCharsMin) return;
  const excess = findJsonExcess(text, { depthMax: answerDepthMax, valuesMax });
  if (excess === null) return;
  throw new UpstreamError(
    excess === "depth"
      ? `The MCP server sent JSON nested deeper than ${answerDepthMax} levels, so it was not read.`
      : "The MCP server sent a message with more than 100,000 values, so it was not read. Request less data at a time.",
  );
}
