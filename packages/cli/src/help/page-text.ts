import { posix } from "node:path";
import { toTopic } from "./find-page.ts";

type Page = {
  /** Below `docs/`. */
  path: string;
  text: string;
};

/**
 * The text of a page for a terminal: a link to another page names the command that shows it, and a link to
 * another file of the repository names the file. The pages' `npx hub` becomes `name`, as this program is called.
 */
export function toPageText({ path, text }: Page, name: string): string {
  const fence = /^(```.*?^```)$/gms;
  const parts = text.split(fence);
  const linked = parts.map((part, at) => (at % 2 === 1 ? part : replaceLinks(part, path, name)));
  return linked
    .join("")
    .replace(/\bnpx hub\b/g, name)
    .replace(/\bnpx wick\b/g, `${name} wick`);
}

function replaceLinks(text: string, path: string, name: string): string {
  return text.replace(
    /(`[^`]*`)|(!?)\[((?:[^[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)/g,
    (whole, code: string | undefined, picture: string, label: string, target: string) => {
      if (code !== undefined) return whole;
      if (picture !== "") return `(picture: ${label})`;
      return toLinkText(label, target, path, name);
    },
  );
}

function toLinkText(label: string, target: string, path: string, name: string): string {
  if (/^[a-z]+:/.test(target)) return label === target ? label : `${label} (${target})`;
  const [file = ""] = target.split("#");
  if (file === "") return label;
  const found = posix.join("docs", posix.dirname(path), file);
  const isPage = found.startsWith("docs/") && found.endsWith(".md");
  if (!isPage) return `${label} (${found} of the repository)`;
  const topic = toTopic(found.slice("docs/".length));
  return `${label} (${name} help ${topic})`;
}
