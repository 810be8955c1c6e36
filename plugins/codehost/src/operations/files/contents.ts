import { isJsonObject, type Json } from "@hub/connector";
import { toShapeError } from "../../present-answer.ts";
import type { FilePart } from "./read-part.ts";

/**
 * Converts the host's answer for a path. Only a text file has `content`; other objects have a `note` that
 * names their kind. For a link to a file of the repository, the host returns that file.
 */
export function presentContents(json: Json): Json {
  if (Array.isArray(json)) return presentFolder(json);
  if (!isJsonObject(json)) throw toShapeError("a file");
  const { type = "file", path, sha, size } = json;
  const facts = { type, path, sha };
  if (type === "submodule") {
    const { submodule_git_url: repository } = json;
    const note =
      "This is a submodule: another repository at the commit in sha. Read it there, with that sha as ref.";
    return { ...facts, submodule_git_url: repository, note };
  }
  if (type === "symlink") {
    const { target } = json;
    return { ...facts, target, note: "This is a symbolic link to target." };
  }
  if (type !== "file") return { ...facts, note: `This is not a file; its type is ${type}.` };
  return presentFile({ ...facts, size }, json);
}

/** The API lists at most this many entries of a folder. */
const entriesMax = 1000;

function presentFolder(entries: Json[]): Json {
  const listed = entries.filter(isJsonObject).map(({ name, path, type, size }) => ({
    name,
    path,
    type,
    ...(type === "file" && { size }),
  }));
  const rest = entries.length < entriesMax ? "" : ` The host lists ${entriesMax} at most.`;
  const note = `This is a folder. Read an entry by its path with get_file.${rest}`;
  return { type: "folder", entries: listed, note };
}

function presentFile(
  facts: Record<string, Json>,
  { content, encoding, size }: Record<string, Json>,
): Json {
  if (encoding === "none" || typeof content !== "string") {
    const note = `This file is too large for the API of this host: it has ${size} bytes. Clone the repository to read it.`;
    return { ...facts, note };
  }
  const text = encoding === "base64" ? findText(content) : content;
  if (text === null) {
    return { ...facts, binary: true, note: "This is a binary file, not UTF-8 text." };
  }
  return { ...facts, content: text };
}

/** Whether the host's answer names a file without its content, because it is large. */
export function isWithoutContent(json: Json): boolean {
  if (!isJsonObject(json)) return false;
  const { type = "file", encoding, content } = json;
  return type === "file" && (encoding === "none" || content === null);
}

/** Presents a part of a large text file, which ends with a line if it can. */
export function presentPart(json: Json, { bytes, offset }: FilePart): Json {
  if (!isJsonObject(json)) throw toShapeError("a file");
  const { path, sha, size } = json;
  const facts = { type: "file", path, sha, size };
  const isLast = offset + bytes.length >= Number(size ?? 0) || bytes.length === 0;
  const first = countLeading(bytes);
  const end = isLast ? bytes.length : findEnd(bytes);
  const text = decode(bytes.subarray(first, end));
  // Without a whole character, the next part would begin where this one does, for ever.
  if (text === null || (!isLast && end === 0)) {
    return { ...facts, binary: true, note: "This is a binary file, not UTF-8 text." };
  }
  const note = isLast
    ? `This is the end of the file, from byte ${offset}.`
    : `These are ${end - first} of ${size} bytes. Call again with offset ${offset + end} for the next ones.`;
  const next = isLast ? {} : { next_offset: offset + end };
  return { ...facts, content: text, offset: offset + first, ...next, note };
}

/** The bytes of a character that began before the part. */
function countLeading(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && isContinuation(bytes[count])) count += 1;
  return count;
}

/** After the last line of the second half, else after the last whole character. */
function findEnd(bytes: Uint8Array): number {
  const line = bytes.lastIndexOf(10);
  if (line >= bytes.length / 2) return line + 1;
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? start : bytes.length;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;

/** Decodes base64 with line breaks. Returns null if the bytes are not text. */
function findText(base64: string): string | null {
  return decode(Buffer.from(base64, "base64"));
}

function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
