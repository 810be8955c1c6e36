import type { ContentBlock, ContentKind } from "../../../connectors/connector-port.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import { isOfMediaType } from "./is-of-media-type.ts";
import type { Block } from "./read-tool-result.ts";

/** Content of a server, cleaned: what the result says of it, and the block to pass on, or why there is none. */
export type DescribedContent = { described: Record<string, string | number> } & (
  | { block: ContentBlock }
  | { left_out: string }
);

const addressCharsMax = 2000;
const nameCharsMax = 200;
const descriptionCharsMax = 1000;

/** Texts are made one line without invisible characters. */
export function toContentBlock(block: Exclude<Block, { type: "text" }>): DescribedContent {
  switch (block.type) {
    case "image":
    case "audio": {
      const { type, data, mimeType } = block;
      return toBinary(type, data, mimeType, { mimeType: cutLine(mimeType, nameCharsMax) });
    }
    case "resource": {
      const { uri, mimeType, ...content } = block.resource;
      const members = {
        uri: cutLine(uri, addressCharsMax),
        ...(mimeType !== undefined && { mimeType: cutLine(mimeType, nameCharsMax) }),
      };
      if ("blob" in content) return toBinary("resource", content.blob, mimeType, members);
      const { text } = content;
      const bytes = Buffer.byteLength(text);
      return {
        described: { type: "resource", ...describe(members), bytes },
        block: { kind: "resource", members: { ...members, text } },
      };
    }
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      const members = {
        uri: cutLine(uri, addressCharsMax),
        name: cutLine(name, nameCharsMax),
        ...(title !== undefined && { title: cutLine(title, nameCharsMax) }),
        ...(description !== undefined && {
          description: cutLine(description, descriptionCharsMax),
        }),
        ...(mimeType !== undefined && { mimeType: cutLine(mimeType, nameCharsMax) }),
        ...(size !== undefined && { size }),
      };
      return {
        described: { type: "resource_link", ...describe(members) },
        block: { kind: "resource_link", members },
      };
    }
  }
}

type Members = Record<string, string | number>;

/** The hub's own results use snake case. */
function describe({ mimeType, ...members }: Members): Members {
  return mimeType === undefined ? members : { ...members, mime_type: mimeType };
}

function toBinary(
  kind: ContentKind,
  base64: string,
  mimeType: string | undefined,
  members: Members,
): DescribedContent {
  const described = { type: kind, ...describe(members) };
  const bytes = decode(base64);
  if (bytes === null) return { described, left_out: "Its base64 is not valid." };
  const whole = { ...described, bytes: bytes.byteLength };
  const isOfKind = kind === "resource" || mimeType?.toLowerCase().startsWith(`${kind}/`);
  // A model's provider may refuse a whole conversation for an image that is not what it says.
  if (!isOfKind || (mimeType !== undefined && !isOfMediaType(bytes, mimeType))) {
    return { described: whole, left_out: "Its content is not of its media type." };
  }
  return { described: whole, block: { kind, members, bytes } };
}

/** Line ends are allowed, as in mail. */
function decode(base64: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return null;
  }
}
