import { isJsonObject, toJsonText } from "@hub/connector";
import type { HubError } from "../../errors.ts";
import { quoteText } from "../../lib/json/write-lists.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { SealedResult } from "../../operations/operations.ts";
import type { Params } from "../frames/frame.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";

type Presented = Pick<SealedResult, "text" | "blocks" | "isError" | "kept">;

/** The members of the result of a `tools/call`. A promise only for a long text. */
export function presentResult(result: Presented): MembersText | Promise<MembersText> {
  const kept = result.kept?.quoted ?? null;
  if (kept !== null) return writeResult(result, kept);
  const quoted = quoteText({ yieldToEventLoop }, result.text);
  if (typeof quoted === "string") return writeResult(result, quoted);
  return quoted.then((text) => writeResult(keepQuoted(result, text), text));
}

function keepQuoted(result: Presented, quoted: string): Presented {
  if (result.kept !== undefined) result.kept.quoted = quoted;
  return result;
}

function writeResult({ text, blocks = [], isError }: Presented, quoted: string): MembersText {
  const first = `{"type":"text","text":${quoted}}`;
  // Some clients show a model the structured content alone, and it has no images.
  if (blocks.length > 0) return `"content":[${[first, ...blocks].join(",")}]`;
  // Always an object: if it is missing, some clients parse the text instead and then refuse a list.
  // By its text: the value of a large answer is parsed when it is read first.
  const structured = text.startsWith("{") ? text : `{"result":${text}}`;
  const failed = isError ? `,"isError":true` : "";
  return `"content":[${first}],"structuredContent":${structured}${failed}`;
}

/** A failure as a result, which the model reads. */
export function presentForModel(
  { message: error, code, detail }: HubError,
  toolId: string | undefined,
): MembersText {
  const text = toJsonText({ error, code, tool_id: toolId, ...detail });
  return toMembers({ content: [{ type: "text", text }], isError: true });
}

/** The tool id of a call's arguments, if there is one. */
export function readToolId({ arguments: args }: Params): string | undefined {
  return isJsonObject(args) && typeof args.tool_id === "string" ? args.tool_id : undefined;
}
