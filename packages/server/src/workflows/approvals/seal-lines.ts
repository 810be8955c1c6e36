import { type Json, toJsonText } from "@hub/connector";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";

/** Replaces the secrets that a run has met. */
export type Seal = (value: Json) => Promise<Json>;

/** Texts without secrets. Values that are no texts become JSON. */
export async function sealTexts(seal: Seal, values: readonly Json[]): Promise<string[]> {
  const hidden = hideTokens(await seal([...values]));
  return Array.isArray(hidden) ? hidden.map(toText) : [];
}

/** Texts in one line each, without secrets. */
export async function sealLines(seal: Seal, texts: readonly string[]): Promise<string[]> {
  const lines = (await sealTexts(seal, texts)).map((text) => text.replace(/\s+/g, " ").trim());
  // Again, because a secret may have had line ends in between.
  return await sealTexts(seal, lines);
}

const toText = (value: Json) => (typeof value === "string" ? value : toJsonText(value));
