/** The label of a field as people read it: "Base URL" for `base_url`, from its name `BaseURL` in the connector's source. */
export function toFieldLabel({ name }: { name: string }): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z]+)/g, (all, acronym: string, word: string) =>
      // The plural of an acronym is one word.
      word.length === 2 && word.endsWith("s") ? all : `${acronym} ${word}`,
    )
    .trim()
    .split(/\s+/);
  return words
    .map((word, at) => {
      if (/^[A-Z]{2,}s?$/.test(word)) return word;
      const lower = word.toLowerCase();
      return at === 0 ? lower.charAt(0).toUpperCase() + lower.slice(1) : lower;
    })
    .join(" ");
}
