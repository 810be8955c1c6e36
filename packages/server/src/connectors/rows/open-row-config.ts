import { type FieldSpec, findMissing, type OutboundPolicy, readConfig } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { isReference, openStored } from "../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { createRowSecrets, type RowSecrets } from "../../secrets/masks/row-secrets.ts";
import { listCredentialParts } from "../../secrets/needles/credential-parts.ts";
import type { RowRecord, StoredValue } from "../../store/rows/row-record.ts";
import { checkAwaited } from "../check-awaited.ts";
import type { ConnectorRegistry } from "../registry.ts";

/** A row's decrypted configuration. */
export type RowConfig = {
  /** Typed values by wire key, defaults applied; secrets in plaintext. */
  values: Record<string, unknown>;
  /** Plaintexts of its secret fields and of their parts that are credentials; masked in all output. */
  secrets: RowSecrets;
  /** Required fields that are not set yet. */
  missing: FieldSpec[];
  /** Hosts that an admin saved in its `url` fields; the outbound guard allows these. */
  savedHosts: string[];
};

export type OpenDeps = {
  registry: ConnectorRegistry;
  ring: KeyRing;
  references: SecretReferences;
};

/**
 * Returns a function that opens the configuration of a row. It is opened once, and again when a secret that is
 * kept outside the hub has changed; then the former one stays masked, because calls with it may be under way.
 */
export function createConfigOpener(deps: OpenDeps, row: RowRecord): () => RowConfig {
  const outside = row.values.filter(({ sealed }) => sealed !== null && isReference(sealed));
  let opened: { config: RowConfig; secrets: readonly string[] } | null = null;
  return () => {
    if (opened !== null && outside.length === 0) return opened.config;
    const secrets = outside.map((value) => openStoredValue(deps, row.id, value));
    if (opened !== null && Bun.deepEquals(opened.secrets, secrets)) return opened.config;
    opened = { config: openRowConfig(deps, row, opened?.secrets), secrets };
    return opened.config;
  };
}

/**
 * Decrypts the stored values of a row. `formerSecrets` are masked, too. Throws if its connector is not installed, a
 * key is missing, or a secret outside the hub cannot be read.
 */
export function openRowConfig(
  deps: OpenDeps,
  row: RowRecord,
  formerSecrets: readonly string[] = [],
): RowConfig {
  const { configFields } = requireConnector(deps, row);
  const stored: Record<string, string> = Object.create(null);
  for (const value of row.values) stored[value.key] = openStoredValue(deps, row.id, value);
  const config = toRowConfig(configFields, stored, formerSecrets);
  // Each user has an own value of these, so the row is set up without one.
  if (row.access !== "shared") config.missing = config.missing.filter((field) => !field.personal);
  return config;
}

/**
 * The configuration of a row for calls with an account of a user: its texts take the place of all personal fields. None
 * of the row's own is left, so that no credential is made of parts of two accounts.
 */
export function openPersonalConfig(
  deps: OpenDeps,
  row: RowRecord,
  texts: Readonly<Record<string, string>>,
): RowConfig {
  const { configFields } = requireConnector(deps, row);
  const personal = new Set(configFields.filter((field) => field.personal).map(({ key }) => key));
  const stored: Record<string, string> = Object.create(null);
  for (const value of row.values) {
    if (!personal.has(value.key)) stored[value.key] = openStoredValue(deps, row.id, value);
  }
  for (const [key, text] of Object.entries(texts)) if (personal.has(key)) stored[key] = text;
  return toRowConfig(configFields, stored);
}

function requireConnector({ registry }: OpenDeps, { connectorKey }: RowRecord) {
  const connector = registry.find(connectorKey);
  if (connector !== null) return connector;
  checkAwaited(registry, connectorKey);
  throw new HubError(
    "plugin_unavailable",
    `The connector "${connectorKey}" is not installed. Ask an admin to install it again.`,
  );
}

/** The configuration of texts by field key, secrets in plaintext. */
export function toRowConfig(
  fields: readonly FieldSpec[],
  stored: Record<string, string>,
  formerSecrets: readonly string[] = [],
): RowConfig {
  // All calls of the row share these values, so no call may change them.
  const values = freezeDeep(readConfig(fields, stored));
  return {
    values,
    secrets: createRowSecrets(
      fields
        .filter((field) => field.secret && values[field.key] !== undefined)
        .map((field) => String(values[field.key]))
        .concat(formerSecrets)
        .flatMap((secret) => [secret, ...listCredentialParts(secret)]),
    ),
    missing: findMissing(fields, values),
    savedHosts: fields.flatMap((field) => findHosts(field, values[field.key])),
  };
}

function openStoredValue(
  { ring, references }: OpenDeps,
  rowId: string,
  stored: StoredValue,
): string {
  if (stored.sealed === null) return stored.value ?? "";
  const location = { table: "row_values", row: rowId, field: stored.key };
  const { kind, text } = openStored(ring, location, stored.sealed);
  return kind === "reference" ? references.read(text) : text;
}

function findHosts(field: FieldSpec, value: unknown): string[] {
  if (field.widget !== "url" || typeof value !== "string" || !URL.canParse(value)) return [];
  return [new URL(value).host];
}

/** Freezes plain data at every depth, so that it can be shared. */
function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeDeep(member);
  return value;
}

/** Which hosts a row's calls may reach. */
export function toOutboundPolicy(
  { savedHosts }: Pick<RowConfig, "savedHosts">,
  allow: readonly string[],
): OutboundPolicy {
  return { savedHosts, allow: [...allow] };
}
