import type { FieldSpec } from "@hub/connector";
import type {
  HubFile,
  HubFilePlugin,
  HubFileRow,
  HubFileUser,
  HubFileWorkflow,
} from "@hub/contract/hub-file.ts";
import type { WorkflowRows } from "@hub/contract/workflow.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { toRowOwner } from "../../connectors/rows/row-owner.ts";
import { isReference, openStored } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { listReadOperations } from "../../store/rows/reading-operations.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../store/rows/switches.ts";
import { listRuledRows } from "../../store/rules/rule-reach.ts";
import { listStoredSettings } from "../../store/settings/settings-table.ts";
import { countTags, EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { listUsers } from "../../store/users/users-table.ts";
import { listWorkflowPage, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { findLiveSetting } from "../../stored-settings.ts";
import { loadBody } from "../../workflows/definition/body-text.ts";
import { listCalledIds, toCalledRows } from "../../workflows/definition/called-rows.ts";
import { listNeededSecrets } from "../../workflows/definition/list-needed-secrets.ts";
import { listPlugins } from "../plugins/manage-plugins.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { readFileRules } from "./set-file-rules.ts";

type ExportDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "plugins">;

/** What stands in the place of each secret. */
export const kept = "keep";

/**
 * The hub as a file, in an order that does not depend on when things were made. Secrets are only named.
 * Passwords, tokens, identities, service users and users who wait for approval are not in it, nor rows that the hub
 * makes itself.
 */
export async function exportHub(deps: ExportDeps): Promise<HubFile> {
  const { db } = deps.store;
  const settings = [...(await listStoredSettings(db))].filter(
    ([name]) => findLiveSetting(name) !== null,
  );
  const tags = (await countTags(db)).map(({ name }) => name);
  return {
    hub_file: 1,
    settings: Object.fromEntries(settings.sort(([one], [other]) => compare(one, other))),
    tags: tags.filter((tag) => tag !== EVERYONE_TAG).sort(),
    users: await exportUsers(deps),
    plugins: await exportPlugins(deps),
    disabled_connectors: [...(await listDisabledTypes(db))].sort(),
    rows: await exportRows(deps),
    workflows: await exportWorkflows(deps),
  };
}

async function exportUsers({ store }: ExportDeps): Promise<HubFileUser[]> {
  const users = await listUsers(store.db);
  return users
    .flatMap(({ email, name, role, status, tags, kind }): HubFileUser[] =>
      status === "pending" || kind === "service"
        ? []
        : [{ email, name, role, status, tags: [...tags].sort() }],
    )
    .sort((one, other) => compare(one.email, other.email));
}

async function exportPlugins(deps: ExportDeps): Promise<HubFilePlugin[]> {
  return (await listPlugins(deps))
    .map(({ key, version, enabled }) => ({ key, ...(version !== null && { version }), enabled }))
    .sort((one, other) => compare(one.key, other.key));
}

async function exportRows({ store, ring, registry }: ExportDeps): Promise<HubFileRow[]> {
  const rows = await listRows(store.db);
  const keys = await ring.reload();
  const reads = await listReadOperations(store.db);
  for (const row of rows) {
    const { operations } = registry.find(row.connectorKey) ?? {};
    if (!reads.has(row.id) || operations === undefined || operations.size === 0) continue;
    // A mark that is lost stays stored.
    const present = await registry.loadOperations(store.db, row);
    const marked = [...present.values()].filter((one) => one.reads && one.isMarkable);
    if (marked.length === 0) reads.delete(row.id);
    else reads.set(row.id, marked.map(({ key }) => key).sort());
  }
  const rules = new Map<string, HubFileRow["rules"]>();
  for (const id of await listRuledRows(store.db)) rules.set(id, await readFileRules(store.db, id));
  return rows
    .filter(({ connectorKey }) => registry.find(connectorKey)?.madeFrom === undefined)
    .map((row) => ({
      ...toFileRow(keys, registry.find(row.connectorKey), row),
      ...(reads.has(row.id) && { reads: reads.get(row.id) ?? [] }),
      ...(rules.has(row.id) && { rules: rules.get(row.id) }),
    }))
    .sort(
      (one, other) =>
        compare(one.connector, other.connector) ||
        compare(one.label, other.label) ||
        compare(one.id ?? "", other.id ?? ""),
    );
}

/** Of a connector that is not here, or whose key other code has now, the fields are not known. */
function toFileRow(
  keys: KeyRing,
  connector: RegisteredConnector | null,
  row: RowRecord,
): HubFileRow {
  const present = connector === null ? null : toRowOwner(connector);
  const from = row.owner ?? present;
  const fields = connector !== null && from === present ? connector.configFields : [];
  return {
    id: row.id,
    connector: row.connectorKey,
    ...(from !== null && { from }),
    label: row.label,
    ...(row.slug !== null && { slug: row.slug }),
    description: row.description,
    tags: [...row.tags].sort(),
    tests: row.tests,
    ...(row.access !== "shared" && { access: row.access }),
    enabled: !row.disabled,
    values: toFileValues(fields, row, readReferences(keys, row)),
    operations: sortMembers(row.operationStates),
  };
}

/** What a row refers to outside the hub, by its fields. */
function readReferences(keys: KeyRing, { id, values }: RowRecord): ReadonlyMap<string, string> {
  const references = new Map<string, string>();
  for (const { key, sealed } of values) {
    if (sealed === null || !isReference(sealed)) continue;
    const { text } = openStored(keys, { table: "row_values", row: id, field: key }, sealed);
    references.set(key, text);
  }
  return references;
}

/** All secrets are named that the row can have now, set or not: a file says nothing about their values. */
function toFileValues(
  fields: readonly FieldSpec[],
  { values }: RowRecord,
  references: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const texts = new Map(values.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
  const entries = fields.flatMap((field): [string, unknown][] => {
    const reference = references.get(field.key);
    if (reference !== undefined) return [[field.key, reference]];
    if (field.secret) return isVisible(field, fields, texts) ? [[field.key, kept]] : [];
    const text = texts.get(field.key);
    return text === undefined ? [] : [[field.key, toFileValue(field, text)]];
  });
  // Fields that are not known here, because the plugin of the connector is not installed.
  const known = new Set(fields.map(({ key }) => key));
  const others = fields.length > 0 ? [] : [...texts].filter(([key]) => !known.has(key));
  return sortMembers(Object.fromEntries([...entries, ...others]));
}

function isVisible(
  { visibleWhen }: FieldSpec,
  fields: readonly FieldSpec[],
  texts: ReadonlyMap<string, string>,
): boolean {
  if (visibleWhen === undefined) return true;
  const decides = fields.find(({ key }) => key === visibleWhen.field);
  return visibleWhen.values.includes(texts.get(visibleWhen.field) ?? decides?.default ?? "");
}

/** A stored text as the value that is stored as this text again. */
function toFileValue({ base, columns }: FieldSpec, text: string): unknown {
  if (base === "boolean" && (text === "true" || text === "false")) return text === "true";
  if ((base === "integer" || base === "float") && String(Number(text)) === text) {
    return Number(text);
  }
  if (columns === undefined && base !== "json") return text;
  try {
    const value: unknown = JSON.parse(text);
    const isSame = typeof value === "object" && JSON.stringify(value) === text;
    return isSame ? value : text;
  } catch {
    return text;
  }
}

const perPage = 200;

async function exportWorkflows({ store, registry }: ExportDeps): Promise<HubFileWorkflow[]> {
  const { db } = store;
  const emails = new Map((await listUsers(db)).map(({ id, email }) => [id, email]));
  const rows = new Map((await listRows(db)).map((row) => [row.id, row]));
  const toRows = (bodies: readonly unknown[]) =>
    toCalledRows(
      registry,
      listCalledIds(bodies).flatMap((id) => rows.get(id) ?? []),
    );
  const found: HubFileWorkflow[] = [];
  let after: WorkflowRecord | undefined;
  for (;;) {
    const page = await listWorkflowPage(db, {}, { limit: perPage, ...(after && { after }) });
    for (const workflow of page) {
      const owner = emails.get(workflow.ownerId);
      if (owner !== undefined) found.push(await toFileWorkflow(db, workflow, { owner, toRows }));
    }
    after = page.at(-1);
    if (page.length < perPage) break;
  }
  return found.sort((one, other) => compare(one.id, other.id));
}

async function toFileWorkflow(
  db: ExportDeps["store"]["db"],
  { id, name, description, tags, runBy, enabled, draftBodyId, publishedBodyId }: WorkflowRecord,
  { owner, toRows }: { owner: string; toRows(bodies: readonly unknown[]): WorkflowRows },
): Promise<HubFileWorkflow> {
  const read = async (bodyId: string) => toMembers(await loadBody(db, bodyId));
  const draft = await read(draftBodyId);
  const isDraft = publishedBodyId === null || publishedBodyId === draftBodyId;
  const body = isDraft ? draft : await read(publishedBodyId);
  const secrets = [body, draft].flatMap(listNeededSecrets);
  const rows = toRows([body, draft]);
  return {
    id,
    name,
    description,
    owner,
    tags: [...tags].sort(),
    run_by: runBy,
    enabled,
    published: publishedBodyId !== null,
    body,
    ...(!isDraft && { draft }),
    ...(Object.keys(rows).length > 0 && { rows }),
    secrets: Object.fromEntries([...new Set(secrets)].sort().map((secret) => [secret, kept])),
  };
}

/** Stored bodies are objects. */
function toMembers(body: unknown): Record<string, unknown> {
  return Object(body);
}

function sortMembers<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => compare(one, other)));
}

/** By code unit, so that the order is the same on every machine. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
