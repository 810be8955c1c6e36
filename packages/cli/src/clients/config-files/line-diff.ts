import { anyHubTokenKind } from "@hub/contract/hub-token-kinds.ts";

const lineCharsMax = 300;
const hubToken = new RegExp(`\\bhub_(${anyHubTokenKind})_\\w+`, "g");

/**
 * Shows what an edit at one place changes, without the lines around it, which may contain secrets
 * of other servers. The hub's tokens and keys are left out.
 */
export function toLineDiff(before: string, after: string): string {
  const old = before.split("\n");
  const now = after.split("\n");
  const start = countSame(old, now);
  const end = countSame(old.slice(start).toReversed(), now.slice(start).toReversed());
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const isLong = [...removed, ...added].some((line) => line.length > lineCharsMax);
  const [less, more] = isLong ? cutSame(removed.join("\n"), added.join("\n")) : [removed, added];
  const lines = [...less.map((line) => `-${line}`), ...more.map((line) => `+${line}`)];
  return [`@@ line ${start + 1} @@`, ...lines].map(clean).join("\n");
}

function countSame<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at;
  return length;
}

/** In a file of one long line, only the characters that differ are shown. */
function cutSame(removed: string, added: string): [string[], string[]] {
  const start = countSame(removed, added);
  const length = Math.min(removed.length, added.length);
  let end = 0;
  while (end < length - start && removed.at(-1 - end) === added.at(-1 - end)) end++;
  const cut = (text: string) => {
    const middle = text.slice(start, text.length - end);
    return middle === "" ? [] : [`…${middle}…`];
  };
  return [cut(removed), cut(added)];
}

function clean(line: string): string {
  return line
    .replace(/\r$/, "")
    .replace(hubToken, "hub_$1_…")
    .replace(/\b(HUB_(?:ENC_KEY|OIDC_CLIENT_SECRET)"?\s*[:=]\s*)"[^"]*"/g, '$1"…"');
}
