/** The names of a page's sections in addresses, as GitHub makes them: each is there once. */
export function createAnchors(): (title: string) => string {
  const counts = new Map<string, number>();
  return (title) => {
    const anchor = toAnchor(title);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

/** `title` is Markdown: its code spans and links count by their texts. */
function toAnchor(title: string): string {
  return toPlainText(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replace(/ /g, "-");
}

/** A line of Markdown without the marks of links and code. */
export function toPlainText(line: string): string {
  return line.replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1").replace(/`|\*\*/g, "");
}
