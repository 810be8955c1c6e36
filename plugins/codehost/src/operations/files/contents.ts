import { isJsonObject, type Json } from "@hub/connector";
import { toShapeError } from "../../present.ts";

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
    const note = `This file has ${size} bytes. The API returns the content only of files up to 1 MB. search_code finds lines in it.`;
    return { ...facts, note };
  }
  const text = encoding === "base64" ? findText(content) : content;
  if (text === null) {
    return { ...facts, binary: true, note: "This is a binary file, not UTF-8 text." };
  }
  return { ...facts, content: text };
}

/** Decodes base64 with line breaks. Returns null if the bytes are not text. */
function findText(base64: string): string | null {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
