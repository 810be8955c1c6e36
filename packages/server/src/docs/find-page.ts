import { findNearest } from "@hub/connector";

/** No page has a longer name. */
const nameCharsMax = 100;

/** A page of the documentation by the name that a person types; the nearest name if there is none. */
export type FoundPage = { path: string } | { nearest: string | null };

/** The topics `guide/backup`, `guide/backup/`, `backup`, `docs/guide/backup.md` and `045` all name pages. */
export function findPage(typed: string, paths: readonly string[]): FoundPage {
  const wanted = typed
    .toLowerCase()
    .replace(/^docs\//, "")
    .replace(/\/$/, "")
    .replace(/\.md$/, "")
    .replace(/\/readme$/, "");
  const path = paths.find((each) => toNames(each).includes(wanted));
  if (path !== undefined) return { path };
  if (wanted.length > nameCharsMax) return { nearest: null };
  return { nearest: findNearest(wanted, paths.flatMap(toNames)) };
}

/** `guide/backup.md` → `guide/backup`, and `decisions/README.md` → `decisions` */
export function toTopic(path: string): string {
  return path.replace(/\.md$/, "").replace(/\/README$/, "");
}

/** The names of a page, the whole one first: a decision's number names it, too. */
function toNames(path: string): string[] {
  const topic = toTopic(path).toLowerCase();
  const name = topic.replace(/^.*\//, "");
  const number = /^decisions\/0*(\d+)-/.exec(topic)?.[1];
  return number === undefined ? [topic, name] : [topic, name, number, number.padStart(3, "0")];
}
