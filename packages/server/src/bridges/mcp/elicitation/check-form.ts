import { isJsonObject, type Json } from "@hub/connector";
import type { ElicitedForm, NotAsked } from "../../../connectors/elicitation.ts";

const propertiesMax = 20;
export const messageCharsMax = 2000;
const schemaCharsMax = 16 * 1024;

/** What a form must not ask for: it goes through a client, and a model may read it there. */
const secretWords =
  /\b(pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|tokens?|secrets?|(api ?)?keys?|codes?|pins?|cards?|cvc|cvv|credentials?)\b/;
/** At the end of a longer word, as in `accesstoken`. Shorter ones end harmless words. */
const secretEndings = /(password|passphrase|passcode|passwd|token|secret|apikey|credential)s?\b/;
/** In a sentence, the other words have harmless meanings as well. */
const secretPhrases =
  /\b(pass ?words?|pass ?phrases?|secrets?|api ?keys?|access ?tokens?|credit cards?|credentials?)\b/;

/** Only these members reach a client. */
const known = [
  "type",
  "title",
  "description",
  "format",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "enum",
  "enumNames",
  "oneOf",
  "items",
  "default",
] as const;

const types: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array"]);

/** The form that a server asks for, or why it is not shown. */
export function checkForm(params: unknown): ElicitedForm | NotAsked {
  if (!isJsonObject(params)) return { refused: "The form is not valid." };
  const { mode = "form", message, requestedSchema } = params;
  if (mode !== "form") return { refused: "The hub passes on forms and pages only." };
  if (typeof message !== "string" || message.length > messageCharsMax) {
    return { refused: `The message must be a text of at most ${messageCharsMax} characters.` };
  }
  if (secretPhrases.test(toWords(message))) return refuseSecret();
  if (!isJsonObject(requestedSchema) || !isJsonObject(requestedSchema.properties)) {
    return { refused: "The form has no flat schema of an object." };
  }
  const properties = Object.entries(requestedSchema.properties);
  if (
    properties.length > propertiesMax ||
    JSON.stringify(requestedSchema).length > schemaCharsMax
  ) {
    return { refused: `The form is too large: at most ${propertiesMax} fields and 16 KiB.` };
  }
  const fields = new Map<string, Json>();
  for (const [name, schema] of properties) {
    if (!isJsonObject(schema) || !types.has(schema.type)) {
      return { refused: "A field of the form is no text, number, boolean or list of choices." };
    }
    if ([name, ...listTexts(schema)].some((text) => asksForSecret(toWords(text)))) {
      return refuseSecret();
    }
    const members = known.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]]));
    fields.set(name, Object.fromEntries(members));
  }
  const required = Array.isArray(requestedSchema.required)
    ? requestedSchema.required.filter((name) => typeof name === "string" && fields.has(name))
    : [];
  const shown = { type: "object", properties: Object.fromEntries(fields), required } as const;
  return { message, requestedSchema: shown };
}

function asksForSecret(words: string): boolean {
  return secretWords.test(words) || secretEndings.test(words);
}

function refuseSecret() {
  return {
    refused:
      "The form asks for a password, token, secret, key, code, PIN or card. The hub does not pass that on: an admin sets secrets on the row.",
  };
}

/** Some descriptions say what not to fill in. */
const warning = /\b(do not|don't|never) (give|share|send|enter|type|provide|include)\b[^.;:!?]*/gi;

/** What a person reads of a field: all texts but the values of its choices. */
function listTexts({
  title,
  description,
  format,
  enumNames,
  oneOf,
  items,
}: Record<string, unknown>): string[] {
  const choices = [oneOf, items, isJsonObject(items) ? [items.anyOf, items.oneOf].flat() : []];
  const parts = choices.flat().filter((choice) => isJsonObject(choice));
  const texts = [
    ...[title, format, enumNames].flat(),
    ...parts.flatMap((part) => [part.title, part.format]),
    ...[description, ...parts.map((part) => part.description)].map(withoutWarnings),
  ];
  return texts.filter((text) => typeof text === "string");
}

function withoutWarnings(description: unknown): unknown {
  return typeof description === "string" ? description.replaceAll(warning, "") : description;
}

/** Lower-case words: `apiKey` and `api_key` are two, numbers are their own, and characters that are not seen are none. */
function toWords(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/(\p{L})(\d)/gu, "$1 $2")
    .replaceAll(/(\d)(\p{L})/gu, "$1 $2")
    .replaceAll(/[^\p{L}\d]+/gu, " ")
    .toLowerCase();
}
