/** What a Content-Type says of a body. */
export type BodyType = {
  /** In lower case, without parameters; empty if there is none. */
  mediaType: string;
  /** As it was sent; null if none was named. */
  charset: string | null;
  boundary: string | null;
};

/** Longer values are no types of a sender. */
const charsMax = 1024;
const parameter = /;\s*([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

export function readContentType(value: string | null): BodyType {
  const text = (value ?? "").slice(0, charsMax);
  const end = text.indexOf(";");
  const mediaType = (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
  const type: BodyType = { mediaType, charset: null, boundary: null };
  if (end === -1) return type;
  // The first parameter of a name counts.
  for (const [, name = "", quoted, plain = ""] of text.slice(end).matchAll(parameter)) {
    const given = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    const lower = name.toLowerCase();
    if (lower === "charset") type.charset ??= given;
    else if (lower === "boundary") type.boundary ??= given;
  }
  return type;
}

/** Of a payload as it is stored. */
export function findContentType({ headers }: { headers?: unknown }): BodyType {
  const value = Object(headers)["content-type"];
  return readContentType(typeof value === "string" ? value : null);
}

export const formType = "application/x-www-form-urlencoded";
export const multipartType = "multipart/form-data";

/** The JSON types of the WHATWG's MIME sniffing standard. */
export function isJsonType(type: string): boolean {
  return (
    type === "application/json" ||
    type === "text/json" ||
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(type)
  );
}

/** Whether bodies of the type are text, so that a charset means something. */
export function isTextType(type: string): boolean {
  return (
    type.startsWith("text/") ||
    type === formType ||
    isJsonType(type) ||
    /^application\/(?:xml|[\w.+-]+\+xml|javascript|x-ndjson|yaml|graphql)$/.test(type)
  );
}
