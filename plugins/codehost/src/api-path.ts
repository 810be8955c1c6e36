import { InvalidInputError } from "@hub/connector";

/** A path below the base address whose variable parts are escaped: only `apiPath` makes one. */
export type ApiPath = { readonly escaped: string };

/** An input's text by the input's name. A text is one segment; an array is as many, with slashes between. */
export type PathInput = { input: string; text: string | readonly string[] };

type Part = number | bigint | PathInput | ApiPath;

/**
 * Puts values into a path, each escaped by itself, so that none of them can re-aim the call, which
 * carries the token. What no escaping makes safe is refused: `.` and `..`, however often they are
 * percent-encoded, since some proxies decode once more than they check.
 *
 * @example
 * apiPath`/commits/${{ input: "sha", text: "a?b" }}`.escaped; // "/commits/a%3Fb"
 */
export function apiPath(fixed: TemplateStringsArray, ...parts: Part[]): ApiPath {
  const [first = "", ...rest] = fixed;
  const escaped = parts.map((part, at) => toEscaped(part) + (rest[at] ?? "")).join("");
  return { escaped: first + escaped };
}

type RepoParams = { owner: string; repo: string };

/** The path of a repository, which every operation on it begins with. */
export function toRepoPath(params: RepoParams): ApiPath {
  return apiPath`/repos/${toFullName(params)}`;
}

/** Owner and repository as two segments. */
export function toFullName({ owner, repo }: RepoParams): ApiPath {
  checkName("owner", owner);
  checkName("repo", repo);
  return apiPath`${{ input: "owner", text: owner }}/${{ input: "repo", text: repo }}`;
}

/** A file's path as segments, to be escaped one by one. */
export function toSegments(input: string, text: string): PathInput {
  return { input, text: text.split("/") };
}

/** The same of a branch. `refs/heads/fix` would make a branch of that very name. */
export function toBranchSegments(input: string, branch: string): PathInput {
  if (!branch.startsWith("refs/")) return toSegments(input, branch);
  const name = branch.replace(/^refs\/(heads\/)?/, "");
  throw new InvalidInputError(
    input,
    `must be the branch's name alone, such as ${name}. Nothing was sent.`,
  );
}

/** Models put "owner/repo" into either of the two; the host would only answer 404. */
function checkName(input: string, text: string): void {
  if (!text.includes("/")) return;
  throw new InvalidInputError(
    input,
    'must be a name alone, without "/": of octocat/hello-world, owner is octocat and repo is hello-world. Nothing was sent.',
  );
}

function toEscaped(part: Part): string {
  if (typeof part === "number" || typeof part === "bigint") return part.toString();
  if ("escaped" in part) return part.escaped;
  const { input, text } = part;
  const segments = typeof text === "string" ? [text] : text;
  return segments.map((segment) => escapeSegment(input, segment)).join("/");
}

function escapeSegment(input: string, text: string): string {
  if (text === "") return refuse(input, "holds an empty part between slashes, or is empty");
  if (!text.isWellFormed()) return refuse(input, "is not valid Unicode");
  if (hasControl(text)) return refuse(input, "holds control characters");
  if (decodeFully(input, text).split(/[/\\]/).some(isDotSegment)) {
    return refuse(input, 'contains "." or ".." as a segment');
  }
  return encodeURIComponent(text);
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}

function decodeFully(input: string, text: string): string {
  let decoded = text;
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, toCharacter);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return refuse(input, "is percent-encoded too many times over");
}

const roundsMax = 5;

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function isDotSegment(segment: string): boolean {
  return segment === "." || segment === "..";
}

function refuse(input: string, problem: string): never {
  throw new InvalidInputError(input, `${problem}. Nothing was sent.`);
}
