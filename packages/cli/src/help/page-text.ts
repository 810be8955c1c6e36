import { resolveLink } from "@hub/server/docs/resolve-link.ts";

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
  if (target.startsWith("#")) return label;
  const link = resolveLink(target, path);
  if (link.kind === "outside") return label === link.url ? label : `${label} (${link.url})`;
  if (link.kind === "file") return `${label} (${link.path} of the repository)`;
  return `${label} (${name} help ${link.topic})`;
}
