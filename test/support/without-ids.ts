const names: Array<[kind: string, pattern: RegExp]> = [
  ["token", /hub_enc_[\w-]+/g],
  ["pat", /hub_pat_\w+/g],
  ["id", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
];

/**
 * Replaces each id and token of a value by a number, in order of first occurrence, so that values of two
 * hubs can be compared.
 */
export function withoutIds(value: unknown): unknown {
  let text = JSON.stringify(value);
  for (const [kind, pattern] of names) {
    const known: string[] = [];
    text = text.replace(pattern, (found) => {
      if (!known.includes(found)) known.push(found);
      return `<${kind} ${known.indexOf(found) + 1}>`;
    });
  }
  return JSON.parse(text);
}
