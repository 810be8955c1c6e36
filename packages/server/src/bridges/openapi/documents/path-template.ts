import { decodePath, holdsDotSegment } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import type { Parameter } from "./read-parameters.ts";

const pathCharsMax = 4_000;

/** Checks that a path stays below the server's address, whatever its parts are. Throws LeftOut. */
export function checkPathTemplate(path: string, parameters: readonly Parameter[]): void {
  if (path.length > pathCharsMax)
    throw new LeftOut(`Its path is longer than ${pathCharsMax} characters.`);
  if (/[\0-\x20\x7f\\]/.test(path)) {
    throw new LeftOut("Its path has a space, a control character or a backslash.");
  }
  if (/[?#]/.test(path)) throw new LeftOut('Its path has a "?" or "#", which a path cannot have.');
  const decoded = decodePath(path);
  if (path.startsWith("//") || decoded === null || holdsDotSegment(decoded)) {
    throw new LeftOut("Its path leads outside the server's address.");
  }
  const given = new Set(
    parameters.flatMap(({ binding }) => (binding.in === "path" ? [binding.name] : [])),
  );
  for (const name of listPathNames(path)) {
    if (!given.has(name)) {
      throw new LeftOut("Its path has a part in braces that is not among its parameters.");
    }
  }
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, "")))
    throw new LeftOut("Its path has a brace alone.");
}

export function listPathNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
}
