/** Hues of the grounds, far enough from each other that two neighbours look different. */
const hues = [25, 60, 110, 150, 195, 245, 290, 335] as const;

/** One or two letters that stand for a name: "CH" for "Code host", "N" for "notes". */
export function toLetters(name: string): string {
  const words = name.slice(0, 200).match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "?", second = ""] = words;
  return [first, second].map((word) => ([...word][0] ?? "").toUpperCase()).join("");
}

/** The hue of the ground, which follows from the key. */
export function toHue(key: string): number {
  let sum = 7;
  for (const char of key.slice(0, 64)) sum = (sum * 31 + char.charCodeAt(0)) % 9_973;
  return hues[sum % hues.length] ?? hues[0];
}
