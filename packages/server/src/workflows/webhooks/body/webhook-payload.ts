import { isUtf8 } from "node:buffer";
import { type Json, parseJson } from "@hub/connector";
import {
  type BodyType,
  findContentType,
  formType,
  isJsonType,
  isTextType,
  multipartType,
} from "./content-type.ts";
import { decodeText, findEncoding, toBuffer } from "./decode-text.ts";
import { readForm, readUtf8Form } from "./read-form.ts";
import { readMultipart } from "./read-multipart.ts";

/** Counts characters that are made of a body. May throw. */
type Hold = (chars: number) => void;

/**
 * The payload of a webhook with its body, which was stored as it was sent. `raw`, `raw_base64` and `body` are made
 * when a template reads them. The content type alone decides the form of `body`. Beside text, `raw_base64` is not
 * listed, since `raw` has all of it.
 */
export function openWebhookPayload(
  payload: Record<string, Json>,
  raw: Uint8Array,
  hold: Hold = () => {},
): Json {
  const known = { ...payload };
  const type = findContentType(payload);
  const isText = isTextType(type.mediaType);
  const toText = () => {
    hold(raw.byteLength);
    return decodeText(raw, isText ? type.charset : null);
  };
  const toBase64 = () => {
    hold(Math.ceil((raw.byteLength * 4) / 3));
    return toBuffer(raw).toString("base64");
  };
  const makeBody = findBodyMaker(type, raw, hold, toText);
  defineLazily(known, "raw", toText);
  if (makeBody !== null) defineLazily(known, "body", makeBody);
  const isListed = makeBody === null && !isText && !isUtf8(raw);
  defineLazily(known, "raw_base64", toBase64, isListed);
  return known;
}

/** The first value of each name, without names of prototypes. */
export function flatten(entries: Iterable<[string, string]>): Record<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of entries) if (!flat.has(name)) flat.set(name, value);
  return Object.fromEntries(flat);
}

function findBodyMaker(
  { mediaType, charset, boundary }: BodyType,
  raw: Uint8Array,
  hold: Hold,
  toText: () => string,
): (() => Json) | null {
  if (isJsonType(mediaType)) return raw.byteLength === 0 ? null : () => parseJson(toText());
  if (mediaType === formType) {
    return () => {
      hold(raw.byteLength);
      if (findEncoding(charset) === "utf-8") return flatten(readUtf8Form(raw));
      return flatten(readForm(raw, (bytes) => decodeText(bytes, charset)));
    };
  }
  if (mediaType === multipartType && boundary !== null) {
    return () => readMultipart(raw, boundary, hold);
  }
  return null;
}

function defineLazily(target: object, name: string, make: () => Json, enumerable = true): void {
  let made: { value: Json } | null = null;
  Object.defineProperty(target, name, {
    enumerable,
    get() {
      made ??= { value: make() };
      return made.value;
    },
  });
}
