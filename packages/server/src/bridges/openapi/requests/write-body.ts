import { InvalidInputError, isJsonObject, toJsonText } from "@hub/connector";
import type { BodyBinding, EncodingBinding } from "../binding.ts";
import { checkChars, toText } from "./to-texts.ts";
import { listFormPairs, writePairs } from "./write-parameter.ts";

export type WrittenBody = { contentType: string; content: string | Uint8Array };

/** The body of a request; null if the call has none. Throws InvalidInputError. */
export function writeBody(body: BodyBinding, params: Record<string, unknown>): WrittenBody | null {
  const value =
    body.fields === undefined
      ? params[body.input ?? "body"]
      : pick(body.fields, params, body.sentEmpty === true);
  if (value === undefined) return null;
  const { contentType, kind, encoding = {} } = body;
  const input = body.input ?? "";
  switch (kind) {
    case "json":
      return {
        contentType: isPattern(contentType) ? "application/json" : contentType,
        content: toJsonText(value),
      };
    case "text":
      return { contentType: withCharset(contentType), content: toText(value) };
    case "binary":
      return {
        contentType: isPattern(contentType) ? "application/octet-stream" : contentType,
        content: decodeBase64(input, value),
      };
    case "form":
      return { contentType, content: writeForm(toObject(input, value), encoding) };
    case "multipart":
      return writeMultipart(contentType, toObject(input, value), encoding);
  }
}

/** Undefined if the call has none of them and needs no body. */
function pick(
  fields: readonly string[],
  params: Record<string, unknown>,
  isSentEmpty: boolean,
): unknown {
  const given = fields.filter((name) => Object.hasOwn(params, name) && params[name] !== undefined);
  if (given.length === 0 && !isSentEmpty) return undefined;
  return Object.fromEntries(given.map((name) => [name, params[name]]));
}

function isPattern(contentType: string): boolean {
  return contentType.includes("*");
}

function withCharset(contentType: string): string {
  if (isPattern(contentType)) return "text/plain;charset=utf-8";
  return contentType.includes(";") ? contentType : `${contentType};charset=utf-8`;
}

function toObject(input: string, value: unknown): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new InvalidInputError(input, "must be an object");
}

type Encodings = Record<string, EncodingBinding>;

function findEncoding(encodings: Encodings, name: string): EncodingBinding | undefined {
  return Object.hasOwn(encodings, name) ? encodings[name] : undefined;
}

function writeForm(value: Record<string, unknown>, encodings: Encodings): string {
  const pairs = Object.entries(value).flatMap(([name, member]) =>
    member === undefined || member === null
      ? []
      : listFormPairs(name, findEncoding(encodings, name), member),
  );
  // In a form, a space is "+", and encodeURIComponent leaves a few characters.
  const escapeText = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
  return writePairs(escapeText, pairs);
}

type MultipartPart = {
  name: string;
  filename: string | null;
  type: string | null;
  content: Uint8Array;
};

function writeMultipart(
  contentType: string,
  value: Record<string, unknown>,
  encodings: Encodings,
): WrittenBody {
  const boundary = `hub-${crypto.randomUUID()}`;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const addBytes = (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    checkChars("", bytes);
    chunks.push(chunk);
  };
  const add = (text: string) => addBytes(Buffer.from(text));
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue;
    for (const part of toParts(name, findEncoding(encodings, name), member)) {
      const filename = part.filename === null ? "" : `; filename="${escapeName(part.filename)}"`;
      add(
        `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(part.name)}"${filename}\r\n`,
      );
      if (part.type !== null) add(`Content-Type: ${part.type}\r\n`);
      add("\r\n");
      addBytes(part.content);
      add("\r\n");
    }
  }
  add(`--${boundary}--\r\n`);
  return {
    contentType: `${contentType.includes("*") ? "multipart/form-data" : contentType}; boundary=${boundary}`,
    content: new Uint8Array(Buffer.concat(chunks)),
  };
}

function toParts(
  name: string,
  encoding: EncodingBinding | undefined,
  value: unknown,
): MultipartPart[] {
  const type = encoding?.contentType ?? null;
  if (encoding?.file === true) {
    return (Array.isArray(value) ? value : [value]).map((file) => toFile(name, type, file));
  }
  // OpenAPI 3.1: a style that the document names applies here as in a form, without escapes.
  if (encoding?.style !== undefined && type === null) {
    return listFormPairs(name, encoding, value).map((pair) => ({
      name: pair.name,
      filename: null,
      type: null,
      content: Buffer.from(pair.values.join(decodeURIComponent(pair.separator))),
    }));
  }
  // Each item of a list is a part of its own.
  return (Array.isArray(value) ? value : [value]).map((item) => {
    const isJson = isJsonObject(item) || Array.isArray(item);
    return {
      name,
      filename: null,
      type: type ?? (isJson ? "application/json" : null),
      content: Buffer.from(isJson ? toJsonText(item) : toText(item)),
    };
  });
}

function toFile(name: string, type: string | null, file: unknown): MultipartPart {
  const given = isJsonObject(file) ? file : { data: file };
  const { data, filename, content_type: ownType } = given;
  const sentType = typeof ownType === "string" ? ownType : type;
  if (sentType !== null && !/^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/.test(sentType)) {
    throw new InvalidInputError(`${name}.content_type`, "must be a media type such as image/png");
  }
  return {
    name,
    filename: typeof filename === "string" && filename !== "" ? filename : name,
    type: sentType ?? "application/octet-stream",
    content: decodeBase64(name, data),
  };
}

/** Attack: a line break in a name would start a header of the caller's choice. By the HTML standard. */
function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

/** Bytes from base64 or base64url. Throws InvalidInputError: the decoder would skip other characters. */
function decodeBase64(input: string, value: unknown): Uint8Array {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(value)) {
    throw new InvalidInputError(input, "must be base64");
  }
  return new Uint8Array(Buffer.from(value, "base64"));
}
