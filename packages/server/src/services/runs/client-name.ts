import { cutLine } from "../../lib/text/cut-line.ts";

const nameCharsMax = 40;

/** A short name of the program that made a call: the application's, else the first product of its user agent. */
export function toClientName(
  application: string | undefined,
  userAgent: string | null,
): string | null {
  if (application !== undefined) return toShortName(application);
  if (userAgent === null) return null;
  // Every browser begins with it.
  if (userAgent.startsWith("Mozilla/")) return "Browser";
  const [, product = ""] = /^\s*([^\s/(]+)/.exec(userAgent) ?? [];
  return toShortName(product);
}

function toShortName(given: string): string | null {
  return cutLine(given, nameCharsMax) || null;
}
