import { parseJson, UpstreamError } from "@hub/connector";
import type { ConnectorCall } from "../../../connectors/connector-port.ts";
import { isSmallJson } from "../../../lib/json/check-json.ts";
import { loopBytesMax } from "../../../lib/limits/answer-limits.ts";
import { UnreadBody } from "../../../lib/streams/unread-body.ts";
import { restoreDigits } from "./keep-digits.ts";
import type { Block, InvalidBlock, ToolResult } from "./read-tool-result.ts";
import { toContentBlock } from "./to-content-block.ts";

type Attach = ConnectorCall["attach"];

const messageCharsMax = 2000;

/**
 * The result of a tool as a model expects it:
 * - `structuredContent` alone if the other content is text, which repeats it by the specification
 * - a single text: parsed if it is JSON, else the text itself
 * - otherwise `content`, with `structured` if there is any
 *
 * Images, audio, resources and links are attached, and the result says of each what it is. Throws an
 * UpstreamError for a result that is an error.
 */
export function toResult({ blocks, structured, isError }: ToolResult, attach: Attach): unknown {
  if (isError) throw toToolError(blocks);
  const isText = blocks.every(({ type }) => type === "text");
  if (structured !== undefined && isText) return restoreDigits(structured);
  const [first] = blocks;
  if (first?.type === "text" && blocks.length === 1) return readText(first.text);
  return {
    content: blocks.map((block, index) => toBlock(block, index, attach)),
    ...(structured !== undefined && { structured: restoreDigits(structured) }),
  };
}

/** Why a tool has failed, in its own words. */
export function toToolError(blocks: ToolResult["blocks"]): UpstreamError {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (text === "") return new UpstreamError("The tool failed and gives no reason.");
  // A cut could split a secret, so a long text is passed on as the body, which is masked first.
  return text.length <= messageCharsMax
    ? new UpstreamError(`The tool failed: ${text}`)
    : new UpstreamError("The tool failed. Its answer is in upstream.", { body: text });
}

function readText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  if (text.length > loopBytesMax || !isSmallJson(text)) {
    return new UnreadBody(Buffer.from(text), { kind: "maybe-json", charset: "utf-8" });
  }
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function toBlock(block: Block | InvalidBlock, index: number, attach: Attach): unknown {
  if (block.type === "invalid") return block.described;
  if (block.type === "text") return { type: "text", text: block.text };
  const content = toContentBlock(block);
  if (!("block" in content)) return { ...content.described, left_out: content.left_out };
  const attached = attach(content.block, ["content", index]);
  const { text } = content.block.members;
  // A text can stay in the result, which is sealed and cut.
  if ("left_out" in attached && text !== undefined) return { ...content.described, text };
  return { ...content.described, ...attached };
}
