import { cutText, isJsonObject, type Json } from "@hub/connector";

/** The maximum length of texts in lists, by the name of the member. */
export type ProseLimits = { charsMax: Record<string, number>; whole: string };

/** Applies only to lists, because one long body can be larger than all other items. */
const charsMaxByName: Record<string, number> = {
  body: 280,
  message: 280,
  description: 280,
  diff_hunk: 600,
  patch: 4000,
};

/** `whole` names the operation that returns the complete text, such as `get_issue`. */
export function toProseLimits(whole: string, charsMax: Record<string, number> = {}): ProseLimits {
  return { whole, charsMax: { ...charsMaxByName, ...charsMax } };
}

/** Cuts long texts in an item of a list, and adds how much was cut. */
export function cutProse(value: Json, limits: ProseLimits, secrets: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => cutProse(item, limits, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const charsMax = Object.hasOwn(limits.charsMax, name) ? limits.charsMax[name] : undefined;
      if (typeof member !== "string" || charsMax === undefined) {
        return [name, cutProse(member, limits, secrets)];
      }
      return [name, cutWithNote(member, charsMax, limits.whole, secrets)];
    }),
  );
}

function cutWithNote(
  text: string,
  charsMax: number,
  whole: string,
  secrets: readonly string[],
): string {
  const kept = cutText(text, charsMax, secrets);
  if (kept.length === text.length) return text;
  return `${kept}… [${text.length - kept.length} more characters: ${whole}]`;
}
