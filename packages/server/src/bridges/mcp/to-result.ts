import { parseJson, UpstreamError } from "@hub/connector";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { loopBytesMax } from "../../lib/answer-limits.ts";
import { isSmallJson } from "../../lib/check-json.ts";
import { UnreadBody } from "../../lib/unread-body.ts";
import { restoreDigits } from "./keep-digits.ts";

type Block = CallToolResult["content"][number];

const messageCharsMax = 2000;

/**
 * The result of a tool as a model expects it:
 * - `structuredContent` alone if the other content is text, which repeats it by the specification
 * - a single text: parsed if it is JSON, else the text itself
 * - otherwise `content`, with `structured` if there is any
 *
 * Images, audio and binary resources are left out with a sentence: they would fill the audit and a
 * model's context. Throws an UpstreamError for a result that is an error.
 */
export function toResult(result: CallToolResult): unknown {
  const { content = [], structuredContent, isError } = result;
  if (isError === true) throw toToolError(content);
  const isText = content.every(({ type }) => type === "text");
  if (structuredContent !== undefined && isText) return restoreDigits(structuredContent);
  const [first] = content;
  if (first?.type === "text" && content.length === 1) return readText(first.text);
  return {
    content: content.map(toBlock),
    ...(structuredContent !== undefined && { structured: restoreDigits(structuredContent) }),
  };
}

function toToolError(content: Block[]): UpstreamError {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
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

function toBlock(block: Block): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return leaveOut(block.type, block.mimeType, block.data);
    case "resource_link": {
      const { type, uri, name, description, mimeType } = block;
      return {
        ...{ type, uri, name },
        ...(description !== undefined && { description }),
        ...(mimeType !== undefined && { mime_type: mimeType }),
      };
    }
    case "resource": {
      const { resource } = block;
      const { uri, mimeType } = resource;
      if ("text" in resource) {
        return {
          ...{ type: "resource", uri, text: resource.text },
          ...(mimeType !== undefined && { mime_type: mimeType }),
        };
      }
      return { uri, ...leaveOut("resource", mimeType, resource.blob) };
    }
    default:
      return { type: "unknown", left_out: "The hub does not know this kind of content." };
  }
}

function leaveOut(type: string, mimeType: string | undefined, base64: string) {
  return {
    type,
    ...(mimeType !== undefined && { mime_type: mimeType }),
    bytes: Math.floor((base64.length * 3) / 4),
    left_out: "The hub does not pass on binary content of MCP servers.",
  };
}
