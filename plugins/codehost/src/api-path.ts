/** A path below the base address whose variable parts are escaped: only `apiPath` makes one. */
export type ApiPath = { readonly escaped: string };

/** A text or number is one segment; an array is as many, with slashes between them. */
type Part = string | number | bigint | readonly string[] | ApiPath;

/**
 * Puts values into a path, each escaped by itself, so that none of them can re-aim the call, which
 * carries the token. What no escaping makes safe is refused: `.` and `..`, however often they are
 * percent-encoded, since some proxies decode once more than they check.
 *
 * @example
 * apiPath`/repos/${"octocat"}/${"a?b"}`.escaped; // "/repos/octocat/a%3Fb"
 */
export function apiPath(fixed: TemplateStringsArray, ...parts: Part[]): ApiPath {
  const [first = "", ...rest] = fixed;
  const escaped = parts.map((part, at) => toEscaped(part) + (rest[at] ?? "")).join("");
  return { escaped: first + escaped };
}

type RepoParams = { owner: string; repo: string };

/** The path of a repository, which every operation on it begins with. */
export function toRepoPath({ owner, repo }: RepoParams): ApiPath {
  checkName("owner", owner);
  checkName("repo", repo);
  return apiPath`/repos/${owner}/${repo}`;
}

/** A file's path as segments, to be escaped one by one. */
export function toSegments(text: string): string[] {
  return text.split("/");
}

/** The same of a branch. `refs/heads/fix` would make a branch of that very name. */
export function toBranchSegments(input: string, branch: string): string[] {
  if (!branch.startsWith("refs/")) return toSegments(branch);
  const name = branch.replace(/^refs\/(heads\/)?/, "");
  throw new Error(`${input} must be the branch's name alone, such as ${name}. Nothing was sent.`);
}

/** Models put "owner/repo" into either of the two; the host would only answer 404. */
function checkName(input: string, text: string): void {
  if (!text.includes("/")) return;
  throw new Error(
    `${input} must be a name alone, without "/": of octocat/hello-world, owner is octocat and repo is hello-world. Nothing was sent.`,
  );
}

function toEscaped(part: Part): string {
  if (typeof part === "string") return escapeSegment(part);
  if (typeof part === "number" || typeof part === "bigint") return part.toString();
  if ("escaped" in part) return part.escaped;
  return part.map((segment) => escapeSegment(segment, part.join("/"))).join("/");
}

/** `whole` is what the caller wrote, of which `text` may be a part. */
function escapeSegment(text: string, whole = text): string {
  if (text === "") return refuse(whole, "a part of it between slashes is empty");
  if (!text.isWellFormed()) return refuse(whole, "it is not valid Unicode");
  if (hasControl(text)) return refuse(whole, "it holds control characters");
  if (decodeFully(text).split(/[/\\]/).some(isDotSegment)) {
    return refuse(whole, 'it holds "." or ".." as a part of its own');
  }
  return encodeURIComponent(text);
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}

function decodeFully(text: string): string {
  let decoded = text;
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, toCharacter);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return refuse(text, "it is percent-encoded too many times over");
}

const roundsMax = 5;

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function isDotSegment(segment: string): boolean {
  return segment === "." || segment === "..";
}

function refuse(text: string, problem: string): never {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  throw new Error(
    `${JSON.stringify(shown)} cannot be a name, a path or a branch: ${problem}. Nothing was sent.`,
  );
}
