/**
 * The wire key of a field name, in snake case. An underscore is inserted before a capital after a
 * small letter, and before the last capital of an acronym that precedes a word. The plural `s` of
 * an acronym is not a word, and digits never start a word.
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

/** Whether a text is a valid key of a connector, an operation or a field: `[a-z0-9_]{1,64}`. */
export function isWireKey(text: string): boolean {
  // `__proto__` as a key would set the prototype of objects.
  return /^[a-z0-9_]{1,64}$/.test(text) && text !== "__proto__";
}
