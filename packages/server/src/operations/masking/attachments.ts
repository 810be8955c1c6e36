import type { Attached, ContentBlock, ContentKind } from "../../connectors/connector-port.ts";
import { type FieldPaths, reachesField } from "../../lib/json/pick-fields.ts";
import { contentBlocksMax, contentBytesMax } from "../../lib/limits/answer-limits.ts";

/** The content blocks of one call. */
export type Attachments = {
  add(block: ContentBlock, path: ReadonlyArray<string | number>): Attached;
  list(): readonly ContentBlock[];
};

type AttachmentOptions = {
  /** The kinds that the client takes; undefined if it takes JSON only. */
  kinds: ReadonlySet<ContentKind> | undefined;
  /** The only parts of the result that the client wants. */
  fields: FieldPaths | undefined;
  /** Whether the call is one of several, whose answer has JSON only. */
  isOneOfMany?: boolean;
};

export function createAttachments({ kinds, fields, isOneOfMany }: AttachmentOptions): Attachments {
  const blocks: ContentBlock[] = [];
  let bytesLeft = contentBytesMax;

  function findReason(block: ContentBlock, path: ReadonlyArray<string | number>): string | null {
    if (isOneOfMany) return "Several calls at once return JSON only. Call this one alone.";
    if (kinds === undefined) return "Only calls over MCP receive this content.";
    if (!kinds.has(block.kind)) {
      return "The client's version of MCP does not know this kind of content.";
    }
    // Paths may reach into a text, which a block does not allow.
    if (fields !== undefined && (block.bytes === undefined || !reachesField(path, fields))) {
      return "The fields of the call do not include this content.";
    }
    if (blocks.length === contentBlocksMax)
      return `A result has at most ${contentBlocksMax} blocks of content.`;
    return countBytes(block) > bytesLeft
      ? "The content of one result has at most 5 MiB. Request less at a time."
      : null;
  }

  return {
    add(block, path) {
      const reason = findReason(block, path);
      if (reason !== null) return { left_out: reason };
      bytesLeft -= countBytes(block);
      // The result itself is the first block.
      return { block: blocks.push(block) };
    },
    list: () => blocks,
  };
}

function countBytes({ bytes, members: { text } }: ContentBlock): number {
  return bytes?.byteLength ?? (typeof text === "string" ? Buffer.byteLength(text) : 0);
}
