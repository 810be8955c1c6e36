import { isJsonObject, UpstreamError } from "@hub/connector";
import { cutLine } from "../../../lib/text/cut-line.ts";

type Resource = { uri: string; mimeType?: string } & ({ text: string } | { blob: string });

/** A content block of a result as the protocol allows it. Other members are left out. */
export type Block =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: Resource }
  | {
      type: "resource_link";
      uri: string;
      name: string;
      title?: string;
      description?: string;
      mimeType?: string;
      size?: number;
    };

/** A block that the protocol does not allow. */
export type InvalidBlock = { type: "invalid"; described: { type: string; left_out: string } };

/** The result of a tool as the server sent it, checked. */
export type ToolResult = {
  blocks: (Block | InvalidBlock)[];
  /** Undefined if there is none. */
  structured: unknown;
  isError: boolean;
};

const typeCharsMax = 50;

/** Throws an UpstreamError for a result without a list of content. A bad block only leaves itself out. */
export function readToolResult(result: Record<string, unknown>): ToolResult {
  const { content, structuredContent, isError } = result;
  if (!isAbsent(content) && !Array.isArray(content)) throw refuse("content that is not a list");
  if (!isAbsent(isError) && typeof isError !== "boolean") {
    throw refuse("a value of isError that is not true or false");
  }
  return {
    blocks: (content ?? []).map(readBlock),
    structured: structuredContent ?? undefined,
    isError: isError === true,
  };
}

function refuse(what: string): UpstreamError {
  return new UpstreamError(
    `The MCP server sent a result with ${what}, which the protocol does not allow. Report this to the server's author.`,
  );
}

function readBlock(given: unknown): Block | InvalidBlock {
  const block = isJsonObject(given) ? given : {};
  switch (block.type) {
    case "text":
      return isText(block.text) ? { type: "text", text: block.text } : invalidate(block, "text");
    case "image":
    case "audio": {
      const { type, data, mimeType } = block;
      if (!isText(data)) return invalidate(block, "data");
      return isText(mimeType) ? { type, data, mimeType } : invalidate(block, "mimeType");
    }
    case "resource":
      return readResource(block);
    case "resource_link":
      return readLink(block);
    default:
      return invalidate(block, "type");
  }
}

function readResource(block: Record<string, unknown>): Block | InvalidBlock {
  const { resource } = block;
  if (!isJsonObject(resource)) return invalidate(block, "resource");
  const { uri, mimeType, text, blob } = resource;
  if (!isText(uri)) return invalidate(block, "uri");
  if (!isAbsent(mimeType) && !isText(mimeType)) return invalidate(block, "mimeType");
  const known = { uri, ...(isText(mimeType) && { mimeType }) };
  if (isText(text)) return { type: "resource", resource: { ...known, text } };
  if (isText(blob)) return { type: "resource", resource: { ...known, blob } };
  return invalidate(block, isAbsent(blob) ? "text" : "blob");
}

function readLink(block: Record<string, unknown>): Block | InvalidBlock {
  const { uri, name, title, description, mimeType, size } = block;
  if (!isText(uri)) return invalidate(block, "uri");
  if (!isText(name)) return invalidate(block, "name");
  for (const [member, value] of Object.entries({ title, description, mimeType })) {
    if (!isAbsent(value) && !isText(value)) return invalidate(block, member);
  }
  if (!isAbsent(size) && !Number.isFinite(size)) return invalidate(block, "size");
  return {
    type: "resource_link",
    uri,
    name,
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...(isText(mimeType) && { mimeType }),
    ...(typeof size === "number" && { size }),
  };
}

function invalidate({ type }: Record<string, unknown>, member: string): InvalidBlock {
  const name = isText(type) ? cutLine(type, typeCharsMax) : "";
  const fault =
    member === "type"
      ? "The hub does not know this type of content."
      : `The MCP server sent it without a valid "${member}". Report this to the server's author.`;
  return { type: "invalid", described: { type: name || "unknown", left_out: fault } };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Some servers write null for a member that they do not have. */
function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
