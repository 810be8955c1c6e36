import { isJsonObject, toJsonText } from "@hub/connector";
import type { EncodingBinding, ParameterBinding } from "../binding.ts";
import {
  checkChars,
  checkCount,
  escapeUri,
  type Pairs,
  toDeepPairs,
  toPairs,
  toText,
} from "./to-texts.ts";

type Style = Pick<ParameterBinding, "input" | "name" | "style" | "explode">;

/** The value of a path parameter, escaped: it has no character that ends a part of a path. */
export function writePathValue(parameter: ParameterBinding, value: unknown): string {
  const { input, name, style = "simple", explode = false, json } = parameter;
  const escapeText = escapeUri;
  if (json === true) return escapeText(toJsonText(value));
  const [start, separator] =
    style === "label"
      ? [".", explode ? "." : ","]
      : style === "matrix"
        ? [";", explode ? ";" : ","]
        : ["", escapeSeparator(findSeparator(style))];
  const named = style === "matrix" ? `${escapeText(name)}=` : "";
  if (Array.isArray(value)) {
    checkCount(input, value.length);
    const items = value.map((item) => escapeText(toText(item)));
    const isNamedEach = style === "matrix" && explode;
    return (
      start +
      (isNamedEach ? items.map((item) => named + item).join(";") : named + items.join(separator))
    );
  }
  if (isJsonObject(value)) {
    const pairs = toPairs(value);
    checkCount(input, pairs.length);
    const members = pairs.map(([key, text]) =>
      explode ? `${escapeText(key)}=${escapeText(text)}` : `${escapeText(key)},${escapeText(text)}`,
    );
    return start + (explode ? "" : named) + members.join(separator);
  }
  return start + named + escapeText(toText(value));
}

/** Of the items of a list. A document of Swagger 2 may have these styles everywhere. */
function findSeparator(style: string | undefined): string {
  switch (style) {
    case "spaceDelimited":
      return " ";
    case "tabDelimited":
      return "\t";
    case "pipeDelimited":
      return "|";
    default:
      return ",";
  }
}

function escapeSeparator(separator: string): string {
  return separator === "," ? separator : encodeURIComponent(separator);
}

/** A name and a value of a query, both as they are; the separators in the value must not be escaped. */
export type QueryPair = { name: string; values: string[]; separator: string };

/** The names and values of a query parameter, or of a member of a form. */
export function listQueryPairs(
  { input, name, style = "form", explode }: Style,
  value: unknown,
): QueryPair[] {
  const one = ([key, text]: Pairs[number]): QueryPair => ({
    name: key,
    values: [text],
    separator: "",
  });
  if (style === "deepObject") return toDeepPairs(input, name, value).map(one);
  const separator = escapeSeparator(findSeparator(style));
  const isExploded = explode ?? style === "form";
  if (Array.isArray(value)) {
    checkCount(input, value.length);
    const items = value.map(toText);
    if (isExploded) return items.map((item) => one([name, item]));
    return items.length === 0 ? [] : [{ name, values: items, separator }];
  }
  if (isJsonObject(value)) {
    const pairs = toPairs(value);
    checkCount(input, pairs.length);
    if (isExploded) return pairs.map(one);
    return pairs.length === 0 ? [] : [{ name, values: pairs.flat(), separator }];
  }
  return [one([name, toText(value)])];
}

/** `a=1&b=2`. The first function escapes each value. Throws InvalidInputError if they are too long together. */
export function writePairs(
  escapeText: (text: string) => string,
  pairs: readonly QueryPair[],
): string {
  checkChars(
    "",
    pairs.reduce((chars, pair) => chars + countChars(pair), 0),
  );
  return pairs
    .map(
      ({ name, values, separator }) =>
        `${escapeUri(name)}=${values.map(escapeText).join(separator)}`,
    )
    .join("&");
}

function countChars({ name, values }: QueryPair): number {
  return values.reduce((chars, value) => chars + value.length, name.length);
}

/** Reserved characters stay, except those that would end the value. */
export function escapeUnreserved(text: string): string {
  return encodeURI(text.toWellFormed()).replace(/[#&+=]/g, encodeURIComponent);
}

/** The value of a header parameter. */
export function writeHeaderValue(
  { input, style, explode = false, json }: ParameterBinding,
  value: unknown,
): string {
  if (json === true) return toJsonText(value);
  if (Array.isArray(value)) {
    checkCount(input, value.length);
    return value.map(toText).join(findSeparator(style));
  }
  if (!isJsonObject(value)) return toText(value);
  const pairs = toPairs(value);
  checkCount(input, pairs.length);
  return pairs.map(([key, text]) => (explode ? `${key}=${text}` : `${key},${text}`)).join(",");
}

/** A member of a form. An object without a style is JSON, as OpenAPI says for its default type. */
export function listFormPairs(
  name: string,
  encoding: EncodingBinding | undefined,
  value: unknown,
): QueryPair[] {
  const isJson =
    encoding?.style === undefined &&
    (isJsonObject(value) || (Array.isArray(value) && value.some(isJsonObject)));
  if (isJson) return [{ name, values: [toJsonText(value)], separator: "" }];
  const { style, explode } = encoding ?? {};
  return listQueryPairs(
    {
      input: name,
      name,
      ...(style !== undefined && { style }),
      ...(explode !== undefined && { explode }),
    },
    value,
  );
}
