import type { FieldSpec } from "@hub/connector";
import type {
  ConnectionPlan,
  PlannedAuthentication,
  PlannedOperation,
} from "@hub/contract/connection-plan.ts";
import { compareDiscovery } from "../../../connectors/by-row/compare-discovery.ts";
import type { DescribedAuthentication } from "../../../connectors/by-row/described-system.ts";
import { findHostLogo } from "../../../connectors/logos/find-logo.ts";
import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { countLeftOut } from "../../../store/rows/row-discoveries-table.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import { findWarnings } from "../discovery/find-warnings.ts";
import { toDigest, toLeftOut } from "../discovery/present-review.ts";
import { readRoute } from "../discovery/read-route.ts";
import type { FoundSystem } from "./read-system.ts";

const leftOutMax = 100;
const descriptionCharsMax = 200;
/** Of definitions at their limits, this many take a few milliseconds. */
const perTurn = 20;

/** The operations as a new row would store them. */
export function toNewOperations(
  { found }: FoundSystem,
  { at, isTrusted }: { at: number; isTrusted: boolean },
): StoredOperation[] {
  return compareDiscovery([], found, { at, isTrusted }).operations;
}

/** The keys of operations with warnings: only an admin who names them approves them. */
export type ExaminedOperations = { digest: string; warned: ReadonlyMap<string, string[]> };

/** Identifies the operations by their content, and looks for warnings in their texts. */
export async function examineOperations(
  operations: readonly StoredOperation[],
): Promise<ExaminedOperations> {
  const hasher = new Bun.CryptoHasher("sha256");
  const warned = new Map<string, string[]>();
  for (const [at, { key, sourceName, definition }] of operations.entries()) {
    hasher.update(JSON.stringify([key, sourceName, toDigest(definition)]));
    const warnings = findWarnings(definition);
    if (warnings.length > 0) warned.set(key, warnings);
    if (at % perTurn === perTurn - 1) await yieldToEventLoop();
  }
  return { digest: hasher.digest("hex").slice(0, 32), warned };
}

/** What an admin is shown before there is a row. */
export function presentPlan(
  registry: ConnectorRegistry,
  system: FoundSystem,
  operations: readonly StoredOperation[],
  { digest, warned }: ExaminedOperations,
): ConnectionPlan {
  const { kind, connector, address, found, needsAuthentication } = system;
  const about = found.system;
  const { configFields } = findConnector(registry, connector);
  const tags = new Map(about?.tags ?? []);
  const servers = about?.servers ?? [];
  return {
    kind,
    address,
    title: about?.title || toTitle(address, kind),
    logo: findPlanLogo(kind === "mcp" ? [address ?? ""] : servers.map((one) => one.address ?? "")),
    version: about?.version ?? "",
    description: about?.description ?? "",
    servers: servers.map(({ isShared, ...one }) => ({ ...one, shared: isShared })),
    authentications: listAuthentications(kind, configFields, about?.authentications ?? []),
    needs_authentication: needsAuthentication,
    operations: operations.map((one) =>
      presentOperation(one, tags.get(one.sourceName) ?? [], warned.get(one.key) ?? []),
    ),
    reads: operations.filter(({ definition }) => !definition.destructive).length,
    left_out: found.leftOut.slice(0, leftOutMax).map(toLeftOut),
    left_out_total: countLeftOut(found.leftOut),
    digest: toPlanDigest(kind, digest),
  };
}

/** Attack: a document names a server of a brand besides its own, so that its connection looks like that brand. */
function findPlanLogo(addresses: readonly string[]): string | null {
  const [first = null, ...others] = new Set(addresses.map(findHostLogo));
  return others.length === 0 ? first : null;
}

/** Names what was read as well: see `readPlannedKind`. */
export function toPlanDigest(kind: FoundSystem["kind"], digest: string): string {
  return `${kind}-${digest}`;
}

/**
 * As what the address was read for the plan with this digest; null for the digest of no plan. Attack: the host of a
 * document fails when the connection is made, and is then asked as an MCP server with the token that is meant for the API.
 */
export function readPlannedKind(digest: string): FoundSystem["kind"] | null {
  if (digest.startsWith("openapi-")) return "openapi";
  return digest.startsWith("mcp-") ? "mcp" : null;
}

function presentOperation(
  { key, sourceName, definition }: StoredOperation,
  tags: readonly string[],
  warnings: string[],
): PlannedOperation {
  const { name, description, destructive } = definition;
  return {
    key,
    source_name: cutLine(sourceName, descriptionCharsMax),
    ...readRoute(definition.binding),
    name,
    description: warnings.length > 0 ? description : cutLine(description, descriptionCharsMax),
    tags: [...tags],
    destructive,
    warnings,
  };
}

function toTitle(address: string | null, kind: FoundSystem["kind"]): string {
  const host = URL.parse(address ?? "")?.hostname;
  return host ?? (kind === "mcp" ? "MCP server" : "API");
}

/** Those that the document names, then `none`. Of an MCP server, those that rows have. */
function listAuthentications(
  kind: FoundSystem["kind"],
  fields: readonly FieldSpec[],
  named: readonly DescribedAuthentication[],
): PlannedAuthentication[] {
  const without = { name: "", description: "", suggested: {} };
  const modes = kind === "mcp" ? ["none", "bearer", "oauth", "headers"] : ["none"];
  const all: DescribedAuthentication[] = [...named, ...modes.map((mode) => ({ ...without, mode }))];
  return all.map(({ name, mode, description, suggested }) => ({
    name,
    mode,
    description,
    fields: fields
      .filter((field) => isAsked(field, mode))
      .map((field) => ({
        key: field.key,
        name: field.name,
        secret: field.secret,
        required: field.required,
        value: suggested[field.key] ?? "",
      })),
  }));
}

/** The fields that a mode needs. The password of `basic` is asked for, too, although it may be empty. */
function isAsked({ visibleWhen, required, secret }: FieldSpec, mode: string): boolean {
  if (visibleWhen?.field !== "auth_mode") return false;
  if (!visibleWhen.values.some((value) => value === mode)) return false;
  return required || (secret && mode === "basic");
}
