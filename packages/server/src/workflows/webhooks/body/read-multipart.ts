import { isUtf8 } from "node:buffer";
import type { Json } from "@hub/connector";
import { toBytesText } from "@hub/connector";
import { type MultipartPart, parseMultipart } from "@remix-run/multipart-parser";
import { HubError } from "../../../errors.ts";
import { isJsonType, isTextType, readContentType } from "./content-type.ts";
import {
  brokenBytesMax,
  checkCharset,
  decodeText,
  findEncoding,
  isWideCharset,
  toBuffer,
} from "./decode-text.ts";

const partsMax = 1_000;
/** Of one part. */
const headerBytesMax = 4 * 1024;
/** Reading the headers of all parts takes half a microsecond per byte. */
const allHeaderBytesMax = 64 * 1024;
/**
 * The parser compares the boundary backwards. Its last bytes may occur this often in the body: otherwise a body made
 * of them would hold the event loop for more than a second.
 */
const nearBoundariesMax = 20_000;
const nearChars = 4;

/** Throws `bad_request` if a body is no multipart/form-data with this boundary, or too expensive to read. */
export function checkMultipart(raw: Uint8Array, boundary: string | null): void {
  // RFC 2046, section 5.1.1.
  if (boundary === null || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) {
    throw new HubError(
      "bad_request",
      "The Content-Type multipart/form-data has no valid boundary. A boundary has 1 to 70 characters.",
    );
  }
  checkFrame(toBuffer(raw), boundary);
  try {
    let otherBytes = 0;
    for (const part of listParts(raw, boundary)) {
      readName(part);
      const { charset } = readType(part);
      if (isFile(part) || findEncoding(charset) === "utf-8") continue;
      otherBytes += part.size;
      // Attack: many parts that are each small enough.
      checkCharset(charset, otherBytes);
    }
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw refuse("is not valid, as its Content-Type says", thrown);
  }
}

/** The fields and files by their names; a name that comes several times has a list. `hold` counts what is made. */
export function readMultipart(
  raw: Uint8Array,
  boundary: string,
  hold: (chars: number) => void,
): Json {
  const found = new Map<string, Json[]>();
  const decode = createDecoder(hold);
  for (const part of listParts(raw, boundary)) {
    const name = readName(part);
    const values = found.get(name) ?? [];
    found.set(name, values);
    values.push(isFile(part) ? toFile(part, hold) : decode(part));
  }
  return Object.fromEntries(
    [...found].map(([name, [first = null, ...others]]) => [
      name,
      others.length === 0 ? first : [first, ...others],
    ]),
  );
}

function listParts(raw: Uint8Array, boundary: string): Generator<MultipartPart> {
  const limits = { maxHeaderSize: headerBytesMax, maxParts: partsMax };
  const size = Math.max(raw.byteLength, 1);
  return parseMultipart(raw, { boundary, ...limits, maxFileSize: size, maxTotalSize: size });
}

/** Looks for the boundaries by the runtime's own search, which is linear. */
function checkFrame(bytes: Buffer, boundary: string): void {
  const line = `\r\n--${boundary}`;
  if (bytes.indexOf(line.slice(2)) !== 0) throw refuse("does not begin with its boundary");
  let parts = 0;
  let headerBytes = 0;
  // The first line has no line break before it.
  for (let at = -2; ; at = bytes.indexOf(line, at + line.length)) {
    if (at === -1) throw refuse("has no boundary at its end, so a part of it is missing");
    const after = at + line.length;
    const next = bytes.toString("latin1", after, after + 2);
    if (next === "--") break;
    // Attack: a longer boundary, or one of a nested body, would be taken for this one.
    if (next !== "\r\n") throw refuse("has its boundary within a line");
    parts += 1;
    if (parts > partsMax) throw refuse(`has more than ${partsMax} parts`);
    const end = bytes.indexOf("\r\n\r\n", after);
    // Attack: for each further boundary, the rest of the body would be searched again.
    if (end === -1) throw refuse("has a part whose headers do not end");
    headerBytes += end - after;
    if (headerBytes > allHeaderBytesMax) {
      throw refuse(`has headers with more than ${toBytesText(allHeaderBytesMax)}`);
    }
  }
  const tail = Buffer.from(line.slice(-nearChars));
  let near = 0;
  for (let at = bytes.indexOf(tail); at !== -1; at = bytes.indexOf(tail, at + 1)) {
    near += 1;
    if (near > nearBoundariesMax)
      throw refuse("has the end of its boundary too often in its parts");
  }
}

function readName(part: MultipartPart): string {
  const { name, headers } = part;
  if (name === undefined || !/^form-data\b/i.test(headers["content-disposition"] ?? "")) {
    throw refuse(
      'has a part without a name. Each part needs Content-Disposition: form-data; name="…"',
    );
  }
  const { charset } = readType(part);
  if (!isFile(part)) checkCharset(charset, part.size);
  // Secrets are searched in the bytes of the whole body.
  if (!isFile(part) && isWideCharset(charset))
    throw refuse("has a part in UTF-16. Send it in UTF-8");
  return name;
}

/** Also a part that is no text, so that its bytes are kept. */
function isFile(part: MultipartPart): boolean {
  const { mediaType } = readType(part);
  return (
    part.filename !== undefined ||
    !(mediaType === "" || isTextType(mediaType) || isJsonType(mediaType))
  );
}

function readType({ headers }: MultipartPart) {
  return readContentType(headers["content-type"] ?? null);
}

/** Decodes the parts of one body. All that are not UTF-8 cost no more than one of them may. */
function createDecoder(hold: (chars: number) => void): (part: MultipartPart) => string {
  let exactBytesMax = brokenBytesMax;
  return (part) => {
    hold(part.size);
    const bytes = Buffer.concat(part.content);
    const text = decodeText(bytes, readType(part).charset, exactBytesMax);
    if (!isUtf8(bytes)) exactBytesMax = Math.max(exactBytesMax - part.size, 0);
    return text;
  };
}

function toFile(part: MultipartPart, hold: (chars: number) => void): Json {
  const { filename = null, headers, content } = part;
  const file = { filename, content_type: headers["content-type"] ?? null };
  let text: string | null = null;
  Object.defineProperty(file, "bytes_base64", {
    enumerable: true,
    get() {
      if (text === null) {
        hold(Math.ceil((part.size * 4) / 3));
        text = Buffer.concat(content).toString("base64");
      }
      return text;
    },
  });
  return file;
}

function refuse(what: string, cause?: unknown): HubError {
  return new HubError("bad_request", `The multipart/form-data body ${what}.`, { cause });
}
