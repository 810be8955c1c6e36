import { isJsonObject } from "@hub/connector";
import type { ServerBinding } from "../binding.ts";
import { LeftOut } from "./left-out.ts";
import { createReferences, resolveItem } from "./references.ts";

type Part = Record<string, unknown>;

const serversMax = 10;
const urlCharsMax = 500;

/** The servers that a document names for all of its operations. */
export function listServers(document: Part): ServerBinding[] {
  return readList(document.servers);
}

/** A server, and whether the document names it for all operations or for some. */
export type DocumentServer = ServerBinding & { isShared: boolean };

const listedMax = 50;

/** All servers of a document. What only an operation names comes last. */
export function listAllServers(document: Part): DocumentServer[] {
  const found = new Map<string, DocumentServer>();
  const add = (given: unknown, isShared: boolean) => {
    for (const one of readList(given)) {
      if (found.size < listedMax && !found.has(one.url)) found.set(one.url, { ...one, isShared });
    }
  };
  add(document.servers, true);
  const references = createReferences(document);
  for (const given of Object.values(isJsonObject(document.paths) ? document.paths : {})) {
    const item = follow(given, () => resolveItem(references, given));
    add(item.servers, false);
    for (const one of Object.values(item)) {
      add(follow(one, () => references.resolve(one)).servers, false);
    }
  }
  return [...found.values()];
}

/** Empty for what cannot be read, whose operations are left out. */
function follow(given: unknown, resolve: () => Part): Part {
  try {
    return isJsonObject(given) ? resolve() : {};
  } catch (thrown) {
    if (thrown instanceof LeftOut) return {};
    throw thrown;
  }
}

/**
 * Finds the servers of an operation if they differ from those of the document, which the row's base
 * URL replaces. A call uses them only if an admin has admitted them.
 */
export function createServerReader(
  document: Part,
): (item: Part, operation: Part) => ServerBinding[] | null {
  const shared = new Set(listServers(document).map(({ url }) => url));
  return (item, operation) => {
    const own = operation.servers === undefined ? item.servers : operation.servers;
    const servers = readList(own);
    if (servers.length === 0 || servers.some(({ url }) => shared.has(url))) return null;
    return servers;
  };
}

function readList(given: unknown): ServerBinding[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, serversMax).flatMap((server) => {
    if (!isJsonObject(server) || typeof server.url !== "string") return [];
    if (server.url.length > urlCharsMax) return [];
    const variables = Object.entries(isJsonObject(server.variables) ? server.variables : {})
      .slice(0, serversMax)
      .flatMap(([name, one]): [string, string][] =>
        isJsonObject(one) && typeof one.default === "string" && one.default.length <= urlCharsMax
          ? [[name, one.default]]
          : [],
      );
    return [
      {
        url: server.url,
        ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
      },
    ];
  });
}
