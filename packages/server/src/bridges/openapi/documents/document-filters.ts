import { findText } from "@hub/connector";

/** Which operations of a document a row has. An empty list admits all. */
export type DocumentFilters = {
  tags: readonly string[];
  /** Paths in which `*` stands for any characters. One that starts with `!` excludes. */
  paths: readonly string[];
  methods: readonly string[];
};

type Candidate = { method: string; path: string; tags: unknown };

export function isWanted({ tags, paths, methods }: DocumentFilters, candidate: Candidate): boolean {
  const { method, path } = candidate;
  const own: readonly unknown[] = Array.isArray(candidate.tags) ? candidate.tags : [];
  if (tags.length > 0 && !tags.some((tag) => own.includes(tag))) return false;
  if (methods.length > 0 && !methods.some((one) => one.toLowerCase() === method)) return false;
  const excluding = paths.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  const including = paths.filter((one) => !one.startsWith("!"));
  if (excluding.some((pattern) => matchesPath(pattern, path))) return false;
  return including.length === 0 || including.some((pattern) => matchesPath(pattern, path));
}

/** Without a regular expression, which could take exponential time. */
function matchesPath(pattern: string, path: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return path === pattern;
  if (!path.startsWith(start)) return false;
  const end = rest.pop() ?? "";
  let at = start.length;
  for (const part of rest) {
    const found = findText(path, part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return path.length - end.length >= at && path.endsWith(end);
}
