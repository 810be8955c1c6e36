import { brandHosts, type LogoName } from "@hub/contract/brand-hosts.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** What its author says of a connector. */
type Named = { key: string; name?: string; icon?: string };

/** What is stored of a row and shows which system it reaches. */
export type Addressed = Pick<RowRecord, "connectorKey"> & {
  values: ReadonlyArray<Pick<RowRecord["values"][number], "key" | "value">>;
};

/** Other names of brands, as keys and icons of connectors have them. */
const otherNames: ReadonlyMap<string, LogoName> = new Map<string, LogoName>([
  ["bigquery", "googlebigquery"],
  ["cockroachdb", "cockroachlabs"],
  ["codehost", "github"],
  ["elastic", "elasticsearch"],
  ["fly", "flydotio"],
  ["gcal", "googlecalendar"],
  ["gcp", "googlecloud"],
  ["gdrive", "googledrive"],
  ["gemini", "googlegemini"],
  ["k8s", "kubernetes"],
  ["kafka", "apachekafka"],
  ["logs", "grafana"],
  ["loki", "grafana"],
  ["mcp", "modelcontextprotocol"],
  ["mistral", "mistralai"],
  ["mongo", "mongodb"],
  ["notionhq", "notion"],
  ["openapi", "openapiinitiative"],
  ["postgres", "postgresql"],
  ["pg", "postgresql"],
]);

/** Icons and parts of names that are words before they are brands. */
const words = new Set(["box", "git", "google", "graphql", "linear", "python", "vault", "x"]);
/** What packages of MCP servers are named after, and what says nothing of one of them. */
const general = new Set<string>([
  ...words,
  "docker",
  "mcp",
  "modelcontextprotocol",
  "nodedotjs",
  "npm",
]);

/** Connectors that reach any system: the row's address says whose it is. */
const toAnySystem = new Set(["http", "mcp", "openapi"]);

const hosts: ReadonlyMap<string, LogoName> = new Map(
  // Safe: the table has these names.
  (Object.keys(brandHosts) as LogoName[]).flatMap((name) =>
    brandHosts[name].map((host): [string, LogoName] => [host, name]),
  ),
);

/** The logo of a connector, by its key, its name or its icon; null if none of them is a brand. */
export function findConnectorLogo({ key, name = "", icon = "" }: Named): LogoName | null {
  const brand = /^brand-(.+)$/.exec(icon)?.[1];
  return (
    findBrand(key) ?? findBrand(name) ?? findBrand(brand ?? (words.has(icon) ? "" : icon)) ?? null
  );
}

/** The logo of a row: of the system at its address, else of its connector if that reaches one system only. */
export function findRowLogo(row: Addressed, connector: Named | null): LogoName | null {
  const byAddress = findAddressLogo(row);
  if (byAddress !== null || toAnySystem.has(row.connectorKey)) return byAddress;
  return findConnectorLogo(connector ?? { key: row.connectorKey });
}

/** Fields of rows that show which system they reach. */
export const addressFields = ["args", "base_url", "transport", "url"] as const;

function findAddressLogo({ values }: Addressed): LogoName | null {
  const find = (field: (typeof addressFields)[number]) =>
    values.find(({ key }) => key === field)?.value ?? "";
  if (find("transport") === "stdio") return findPackageLogo(find("args"));
  return findHostLogo(find("base_url")) ?? findHostLogo(find("url"));
}

const addressCharsMax = 2_000;

/** The brand of an address's host, or of the domain above it. */
export function findHostLogo(address: string): LogoName | null {
  const url = URL.parse(address.slice(0, addressCharsMax));
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // Names of hosts have at most 253 characters, and so a bounded number of labels.
  let host = url.hostname.replace(/\.$/, "").slice(0, 253);
  for (;;) {
    const found = hosts.get(host);
    if (found !== undefined) return found;
    const [, above] = /^[^.]*\.(.+)$/.exec(host) ?? [];
    if (above === undefined) return null;
    host = above;
  }
}

/** Of a program: by the package that is named for an MCP server, such as `@modelcontextprotocol/server-github`. */
function findPackageLogo(args: string): LogoName | null {
  const texts = args.slice(0, addressCharsMax).match(/[\w@./-]+/g) ?? [];
  const named = texts.slice(0, 20).find((text) => /mcp|modelcontextprotocol/i.test(text));
  for (const word of named?.slice(0, 200).match(/[a-z0-9]+/gi) ?? []) {
    const found = general.has(word.toLowerCase()) ? null : findBrand(word);
    if (found !== null && !general.has(found)) return found;
  }
  return null;
}

const nameCharsMax = 40;

function findBrand(name: string): LogoName | null {
  if (name.length > nameCharsMax) return null;
  const plain = (name.toLowerCase().match(/[a-z0-9]/g) ?? []).join("");
  return isLogoName(plain) ? plain : (otherNames.get(plain) ?? null);
}

function isLogoName(name: string): name is LogoName {
  return Object.hasOwn(brandHosts, name);
}
