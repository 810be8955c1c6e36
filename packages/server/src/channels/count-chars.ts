/** The memory overhead of one value, as characters. */
const valueChars = 16;

/** About how many characters a value has as JSON. Linear in its values, and does not read the texts. */
export function countChars(value: unknown): number {
  // Without recursion: a view of Slack may be nested as deep as its sender likes.
  const left: unknown[] = [value];
  let chars = 0;
  while (left.length > 0) {
    const one = left.pop();
    chars += valueChars;
    if (typeof one === "string") chars += one.length;
    else if (typeof one === "object" && one !== null) {
      for (const [key, member] of Object.entries(one)) {
        chars += key.length;
        left.push(member);
      }
    }
  }
  return chars;
}
