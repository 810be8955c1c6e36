import { isJsonObject } from "@hub/connector";

type Members = Record<string, unknown>;

/** Without the servers of single paths and operations, because all requests go to the proxy. */
export function toDriven(document: Members): Members {
  return changeOperations(document, ({ servers: _, ...operation }) => operation);
}

/**
 * Without security, which the test of credentials checks, with one short answer for all operations, and without the
 * components that only answers use: requests are checked, and the proxy needs minutes to read schemas that contain
 * each other.
 */
export function toCheckable({ security: _, ...document }: Members): Members {
  const changed = changeOperations(document, ({ security: _, ...operation }) => ({
    ...operation,
    ...("responses" in operation && { responses: { 200: { description: "Any answer." } } }),
  }));
  return keepUsedComponents(changed);
}

/** The document with each path and each of its operations changed. */
function changeOperations(document: Members, change: (members: Members) => Members): Members {
  const paths = isJsonObject(document.paths) ? document.paths : {};
  return {
    ...document,
    paths: changeMembers(paths, (path) => change(changeMembers(path, change))),
  };
}

function changeMembers(of: Members, change: (members: Members) => Members): Members {
  return Object.fromEntries(
    Object.entries(of).map(([key, value]) => [key, isJsonObject(value) ? change(value) : value]),
  );
}

/** The document with those components only that the rest of it refers to, directly or through another component. */
function keepUsedComponents({ components, ...rest }: Members): Members {
  if (!isJsonObject(components)) return rest;
  const used: Record<string, Members> = {};
  const waiting: unknown[] = [rest];
  while (waiting.length > 0) {
    for (const [group, name] of listReferences(waiting.pop())) {
      const all = components[group];
      if (!isJsonObject(all) || all[name] === undefined || used[group]?.[name] !== undefined)
        continue;
      used[group] = { ...used[group], [name]: all[name] };
      waiting.push(all[name]);
    }
  }
  return { ...rest, components: used };
}

/** The group and the name of each component that the value refers to, such as `["schemas", "account"]`. */
function listReferences(value: unknown): [group: string, name: string][] {
  if (typeof value === "string") {
    const [root, components, group, name] = value.split("/");
    const isReference = root === "#" && components === "components";
    return isReference && group !== undefined && name !== undefined ? [[group, decode(name)]] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listReferences);
}

/** Decodes a part of a JSON pointer in a URI fragment. */
function decode(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
