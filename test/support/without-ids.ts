const names: Array<[kind: string, pattern: RegExp]> = [
  ["token", /hub_enc_[\w-]+/g],
  ["pat", /hub_pat_\w+/g],
  ["id", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
];

/**
 * A value with its ids and tokens numbered in the order in which they are met: what is the same in two
 * places stays the same, and what differs between two hubs anyway does not.
 */
export function withoutIds(value: unknown): unknown {
  let text = JSON.stringify(value);
  for (const [kind, pattern] of names) {
    const met: string[] = [];
    text = text.replace(pattern, (found) => {
      if (!met.includes(found)) met.push(found);
      return `<${kind} ${met.indexOf(found) + 1}>`;
    });
  }
  return JSON.parse(text);
}
