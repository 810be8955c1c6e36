import { isJsonObject } from "@hub/connector";
import type { ServerBinding } from "../binding.ts";

type Part = Record<string, unknown>;

const serversMax = 10;
const urlCharsMax = 500;

/** The servers that a document names for all of its operations. */
export function listServers(document: Part): ServerBinding[] {
  return readList(document.servers);
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
