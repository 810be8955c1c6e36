import { isJsonObject } from "@hub/connector";
import type { DescribedAuthentication } from "../../../connectors/by-row/described-system.ts";
import { LeftOut } from "./left-out.ts";
import { type DocumentServer, listAllServers } from "./read-servers.ts";
import { createReferences, type References } from "./references.ts";

type Part = Record<string, unknown>;

/** What a document says beside its operations, as the worker sends it. */
export type DocumentAbout = {
  title: string;
  version: string;
  description: string;
  servers: DocumentServer[];
  /** Those that the document requires come first. */
  authentications: DescribedAuthentication[];
};

const textCharsMax = 2_000;
const schemesMax = 20;

/** Reads the title, the servers and the ways to authenticate. */
export function describeDocument(document: Part): DocumentAbout {
  const info = isJsonObject(document.info) ? document.info : {};
  return {
    title: toText(info.title),
    version: toText(info.version),
    description: toText(info.summary) || toText(info.description),
    servers: listAllServers(document),
    authentications: listAuthentications(document),
  };
}

function listAuthentications(document: Part): DescribedAuthentication[] {
  const references = createReferences(document);
  const components = isJsonObject(document.components) ? document.components : {};
  const schemes = isJsonObject(components.securitySchemes) ? components.securitySchemes : {};
  const found = Object.entries(schemes)
    .slice(0, schemesMax)
    .flatMap(([name, given]) => toAuthentication(name, resolve(references, given)) ?? []);
  const required = new Set(
    (Array.isArray(document.security) ? document.security : [])
      .slice(0, schemesMax)
      .flatMap((one) => (isJsonObject(one) ? Object.keys(one).slice(0, schemesMax) : [])),
  );
  return [
    ...found.filter(({ name }) => required.has(name)),
    ...found.filter(({ name }) => !required.has(name)),
  ];
}

function resolve(references: References, given: unknown): Part {
  try {
    return isJsonObject(given) ? references.resolve(given) : {};
  } catch (thrown) {
    if (thrown instanceof LeftOut) return {};
    throw thrown;
  }
}

/** Null for a scheme that rows do not support. What needs a user's sign-in takes a token that the admin has. */
function toAuthentication(name: string, scheme: Part): DescribedAuthentication | null {
  const base = { name, description: toText(scheme.description), suggested: {} };
  switch (scheme.type) {
    case "apiKey":
      return { ...base, mode: "api_key" };
    case "http": {
      const kind = toText(scheme.scheme).toLowerCase();
      if (kind === "basic") return { ...base, mode: "basic" };
      return kind === "bearer" ? { ...base, mode: "bearer" } : null;
    }
    case "openIdConnect":
      return { ...base, mode: "bearer" };
    case "oauth2": {
      const flows = isJsonObject(scheme.flows) ? scheme.flows : {};
      const flow = flows.clientCredentials;
      if (!isJsonObject(flow)) return { ...base, mode: "bearer" };
      const suggested = { token_url: toText(flow.tokenUrl) };
      return { ...base, mode: "client_credentials", suggested };
    }
    default:
      return null;
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, textCharsMax).trim() : "";
}
