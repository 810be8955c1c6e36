/** Where people go who had no page in mind. */
export const homePath = "/profile";

const lengthMax = 2000;

/**
 * Where to go on after sign-in: a path of this hub and nothing else. Whatever a browser could take for
 * another site's address (`//evil`, `/\evil`, `https:`) leads home.
 */
export function toDestination(given: string | null | undefined): string {
  if (given === null || given === undefined || given.length > lengthMax) return homePath;
  // Browsers take a backslash for a slash, and drop tabs and line ends before they look.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return homePath;
  const base = "http://hub.invalid";
  const url = URL.canParse(given, base) ? new URL(given, base) : null;
  if (url === null || url.origin !== base) return homePath;
  // What `/..//evil` comes down to is another site's address again.
  if (url.pathname.startsWith("//")) return homePath;
  return `${url.pathname}${url.search}`;
}

/** The path of a page, with where to go on after it. */
export function withDestination(path: string, destination: string): string {
  if (destination === homePath) return path;
  return `${path}?${new URLSearchParams({ next: destination })}`;
}
