/** The default destination after sign-in. */
export const homePath = "/";

const lengthMax = 2000;

/**
 * The destination after sign-in: a path of this hub. Anything that a browser could read as another
 * site's address (`//evil`, `/\evil`, `https:`) becomes the home page. Stops open redirects.
 */
export function toDestination(given: string | null | undefined): string {
  if (given === null || given === undefined || given.length > lengthMax) return homePath;
  // Browsers read a backslash as a slash, and drop tabs and line breaks before they parse.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return homePath;
  const base = "http://hub.invalid";
  const url = URL.canParse(given, base) ? new URL(given, base) : null;
  if (url === null || url.origin !== base) return homePath;
  // `/..//evil` resolves to another site's address.
  if (url.pathname.startsWith("//")) return homePath;
  return `${url.pathname}${url.search}`;
}

/** The path of a page with the destination after it. */
export function withDestination(path: string, destination: string): string {
  if (destination === homePath) return path;
  return `${path}?${new URLSearchParams({ next: destination })}`;
}
