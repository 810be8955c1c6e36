import { stripInvisible } from "../../../lib/text/strip-invisible.ts";
import type { StoredDefinition } from "../../../store/rows/row-operations-table.ts";

/** Texts that speak to the model instead of describing the operation. */
const orders: ReadonlyArray<{ pattern: RegExp; warning: string }> = [
  {
    pattern:
      /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all)\b/i,
    warning: "tells the model to ignore other instructions",
  },
  {
    pattern:
      /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|mention|inform|informing|show|reveal|ask|asking)\b.{0,30}\buser\b/i,
    warning: "tells the model to hide something from the user",
  },
  {
    pattern: /<\/?\s*(important|system|instructions?|secret|admin|assistant)\b/i,
    warning: "has a tag that imitates instructions",
  },
  {
    pattern:
      /\b(system prompt|you are now|you must always|before (using|calling) (any|other|this)|instead of (the|any) other tool)\b/i,
    warning: "gives the model orders beyond this operation",
  },
  {
    pattern: /\b(conn:[0-9a-f]{8}-|hub_(list|search|get|execute|encrypt|decrypt)\b|hub_enc_)/i,
    warning: "speaks of the hub's own tools or tokens",
  },
  {
    pattern:
      /(~\/\.ssh|id_rsa|\.env\b|mcp\.json|\/etc\/passwd|\bapi[ _-]?keys?\b.{0,40}\b(send|pass|include|read)\b)/i,
    warning: "speaks of credentials or of files with credentials",
  },
];

/**
 * What an admin should look at before approving a definition. A text can mislead a model in more ways
 * than these: an admin reads it whole.
 */
export function findWarnings({ name, description, inputSchema }: StoredDefinition): string[] {
  const texts = [
    { place: "Its description", text: `${name}\n${description}` },
    { place: "Its input schema", text: inputSchema },
  ];
  return texts.flatMap(({ place, text }) => [
    ...orders
      .filter(({ pattern }) => pattern.test(text))
      .map(({ warning }) => `${place} ${warning}.`),
    ...(stripInvisible(text, { keepsLines: true }) === text
      ? []
      : [`${place} has invisible characters.`]),
  ]);
}
