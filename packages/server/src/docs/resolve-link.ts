import { posix } from "node:path";
import { toTopic } from "./find-page.ts";

/** Where a link of a page leads. */
export type LinkTarget =
  /** An address outside. */
  | { kind: "outside"; url: string }
  /** A page of the documentation; `anchor` is empty or a section of it. */
  | { kind: "page"; topic: string; anchor: string }
  /** Another file of the repository, such as `deploy/README.md`. */
  | { kind: "file"; path: string };

/** `path` is the page with the link, below `docs/`. */
export function resolveLink(target: string, path: string): LinkTarget {
  if (/^[a-z]+:/.test(target)) return { kind: "outside", url: target };
  const [file = "", anchor = ""] = target.split("#");
  if (file === "") return { kind: "page", topic: toTopic(path), anchor };
  const found = posix.join("docs", posix.dirname(path), file);
  if (!found.startsWith("docs/") || !found.endsWith(".md")) return { kind: "file", path: found };
  return { kind: "page", topic: toTopic(found.slice("docs/".length)), anchor };
}
