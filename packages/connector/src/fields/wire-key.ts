/**
 * The wire key of a field name. An underscore goes before a capital that follows a small letter,
 * and before the last capital of an acronym that a word follows; the plural `s` of an acronym is
 * no word, and digits never break.
 *
 * @example
 * toWireKey("APIBaseURL"); // "api_base_url"
 * toWireKey("UserIDs"); // "user_ids"
 * toWireKey("S3Bucket"); // "s3bucket"
 */
export function toWireKey(name: string): string {
  return name.replace(wordStart, "_").toLowerCase();
}

const wordStart = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])/g;

/** Whether a text may be the key of a connector, an operation or a field: `[a-z0-9_]{1,64}`. */
export function isWireKey(text: string): boolean {
  // `__proto__` as a key would set the prototype of objects made from values.
  return /^[a-z0-9_]{1,64}$/.test(text) && text !== "__proto__";
}
