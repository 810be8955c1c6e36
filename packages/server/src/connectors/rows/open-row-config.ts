import { type FieldSpec, findMissing, type OutboundPolicy, readConfig } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { isManaged, isOutside, openStored } from "../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { createRowSecrets, type RowSecrets } from "../../secrets/masks/row-secrets.ts";
import { listCredentialParts } from "../../secrets/needles/credential-parts.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { checkAwaited } from "../check-awaited.ts";
import { checkDestination } from "../managed/check-destination.ts";
import type { ConnectorRegistry } from "../registry.ts";
import { toPlainTexts } from "./to-plain-texts.ts";

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
  /** If set, calls may reach these origins only: a secret of a manager is bound to them. */
  onlyHosts?: string[];
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
  const outside = row.values.filter(({ sealed }) => sealed !== null && isOutside(sealed));
  let opened: { config: RowConfig; secrets: readonly string[] } | null = null;
  return () => {
    if (opened !== null && outside.length === 0) return opened.config;
    const texts = openTexts(deps, row, outside);
    const secrets = [...Object.values(texts.stored), ...texts.managed];
    if (opened !== null && Bun.deepEquals(opened.secrets, secrets)) return opened.config;
    opened = { config: openRowConfig(deps, row, opened?.secrets), secrets };
    return opened.config;
  };
}

/** The references to secrets in managers that the row names. Their values are read before the row is opened. */
function listManagedIds(ring: KeyRing, row: RowRecord): string[] {
  return row.values.flatMap(({ key, sealed }) => {
    if (sealed === null || !isManaged(sealed)) return [];
    return openStored(ring, toLocation(row.id, key), sealed).text;
  });
}

/** Reads the secrets of a row that are kept in managers. Call it before the row is opened. */
export async function prepareSecrets(
  { ring, references }: Pick<OpenDeps, "ring" | "references">,
  row: RowRecord,
): Promise<void> {
  await references.managed?.prepare(listManagedIds(ring, row));
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
  const texts = openTexts(deps, row);
  const former = [...formerSecrets, ...texts.managed];
  const config = withHosts(toRowConfig(configFields, texts.stored, former), texts);
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
  const values = row.values.filter(({ key }) => !personal.has(key));
  const ofRow = openTexts(deps, row, values);
  const { stored } = ofRow;
  for (const [key, text] of Object.entries(texts)) if (personal.has(key)) stored[key] = text;
  return withHosts(toRowConfig(configFields, stored, ofRow.managed), ofRow);
}

function withHosts(config: RowConfig, { onlyHosts }: OpenedTexts): RowConfig {
  return onlyHosts === null ? config : { ...config, onlyHosts: [...onlyHosts] };
}

export function requireConnector(
  { registry }: Pick<OpenDeps, "registry">,
  { connectorKey }: Pick<RowRecord, "connectorKey">,
) {
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

type OpenedTexts = {
  /** By field key. */
  stored: Record<string, string>;
  /** Values of managers, present and former: masked also where a field is no secret any more. */
  managed: string[];
  /** Origins that all of them may be sent to; null for any. */
  onlyHosts: readonly string[] | null;
};

/** Decrypts values of a row, and takes those that are kept outside the hub from there. */
function openTexts(deps: OpenDeps, row: RowRecord, values = row.values): OpenedTexts {
  const opened: OpenedTexts = { stored: Object.create(null), managed: [], onlyHosts: null };
  for (const { key, value, sealed } of values) {
    if (sealed === null) {
      opened.stored[key] = value ?? "";
      continue;
    }
    const { kind, text } = openStored(deps.ring, toLocation(row.id, key), sealed);
    if (kind === "managed") addManaged(deps, row, opened, { key, id: text });
    else opened.stored[key] = kind === "reference" ? deps.references.read(text) : text;
  }
  return opened;
}

function addManaged(
  deps: OpenDeps,
  row: RowRecord,
  opened: OpenedTexts,
  { key, id }: { key: string; id: string },
): void {
  const { managed } = deps.references;
  // First: its message says what is the matter if the reference is gone.
  const value = managed?.peek(id);
  const reference = managed?.find(id);
  if (managed === undefined || value === undefined || !reference) {
    throw new HubError("needs_setup", "Secrets of managers are read by a server of the hub only.");
  }
  const { onlyHosts } = checkDestination(reference, {
    rowId: row.id,
    connector: requireConnector(deps, row),
    texts: toPlainTexts(row),
  });
  if (onlyHosts !== null) {
    opened.onlyHosts =
      opened.onlyHosts?.filter((origin) => onlyHosts.includes(origin)) ?? onlyHosts;
  }
  opened.stored[key] = value;
  opened.managed.push(value, ...managed.listFormer(id));
}

function toLocation(rowId: string, key: string) {
  return { table: "row_values", row: rowId, field: key };
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
  { savedHosts, onlyHosts }: Pick<RowConfig, "savedHosts" | "onlyHosts">,
  allow: readonly string[],
): OutboundPolicy {
  return { savedHosts, allow: [...allow], ...(onlyHosts && { onlyHosts }) };
}
