import type { OperationSpec } from "@hub/connector";
import { workflowIdSchema } from "@hub/contract/workflow-names.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import type { Caller } from "../../caller.ts";
import { findMissingFields } from "../../connectors/rows/find-missing-fields.ts";
import { isVisible, toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { toCaller } from "../../identity/to-caller.ts";
import { isOperationOn } from "../../operations/admission/list-form.ts";
import { isOffered } from "../../operations/admission/offered.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listChannelRows, listRowPage, listRows } from "../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../store/rows/switches.ts";
import { hasActiveUser } from "../../store/users/active-users.ts";
import { findEffectiveUser } from "../../store/users/find-effective-user.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import { listWorkflowPage, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { findToolWorkflow } from "../as-tools/tool-row.ts";
import type { ChatEventType } from "../channels/chat-event-type.ts";
import { findChannel } from "../channels/find-channel.ts";
import { parsePlaceholder } from "../validation/parse-placeholder.ts";
import type { FoundOperation, ValidationWorld } from "../validation/validation-world.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { listNamed } from "./walk-body.ts";
import { mayStart } from "./workflow-access.ts";

type CheckDeps = Pick<DefinitionDeps, "store" | "registry" | "config" | "chats" | "codeRunner">;

type CheckOptions = {
  purpose: ValidationWorld["purpose"];
  /** Ends the check. */
  signal?: AbortSignal | undefined;
};

/** The problems of a body of a workflow, with what its owner may call now. */
export async function checkBody(
  deps: CheckDeps,
  workflow: WorkflowRecord,
  body: unknown,
  { purpose, signal }: CheckOptions,
): Promise<WorkflowProblem[]> {
  const { db } = deps.store;
  // What it may do at this moment: a service user is limited to its owner's rights.
  const owner = await findEffectiveUser(db, workflow.ownerId);
  const secrets = await listWorkflowSecrets(db, workflow.id);
  const world = owner && (await readWorld(deps, toCaller(owner, null), body, signal));
  const validateBody = await loadValidation();
  const { problems } = await validateBody(body, {
    ...world,
    purpose,
    workflowId: workflow.id,
    secretNames: new Set(secrets.map(({ name }) => name)),
  });
  return problems;
}

/** The problems of a body that is no workflow's, as if its writer owned it. */
export async function checkNewBody(
  deps: CheckDeps,
  writer: Caller,
  body: unknown,
  signal?: AbortSignal,
): Promise<WorkflowProblem[]> {
  const world = await readWorld(deps, writer, body, signal);
  const validateBody = await loadValidation();
  return (await validateBody(body, { ...world, purpose: "draft" })).problems;
}

/** What the owner of a body may call. Read at once, because a body may name hundreds of operations. */
async function readWorld(
  deps: CheckDeps,
  owner: Caller,
  body: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<Omit<ValidationWorld, "purpose">> {
  const { store, registry, config, codeRunner } = deps;
  const { toolIds, workflowIds, hasChannels } = listNamed(body);
  const rows = await readParts(
    toolIds.flatMap((toolId) => parseToolId(toolId)?.rowId ?? []),
    (ids) => listRows(store.db, { ids }),
  );
  const workflows = await readParts(
    workflowIds.filter((id) => workflowIdSchema.safeParse(id).success),
    (ids) => listWorkflowPage(store.db, { ids }, { limit: ids.length }),
  );
  const suggested = await readSuggested(deps, owner, toolIds);
  const disabledTypes = await listDisabledTypes(store.db);
  const findOffered = (connectorKey: string, operationKey: string) => {
    const operation = registry.find(connectorKey)?.operations.get(operationKey);
    return operation !== undefined && isOffered(operation) ? operation : null;
  };
  const channels = hasChannels ? await readChannels(deps, owner, disabledTypes) : {};
  return {
    ...channels,
    hasApprover: (approvers) => hasActiveUser(store.db, approvers),
    owner: { isAdmin: owner.role === "admin" },
    ...(codeRunner && { checkSource: codeRunner.openCheck(owner.userId, signal) }),
    areHttpNodesForUsers: config.workflowHttp === "users",
    async findOperation(toolId) {
      const address = parseToolId(toolId);
      const row = address && rows.get(address.rowId);
      if (!address || !row || !isVisible(owner, row)) return null;
      const operations = await registry.loadOperations(store.db, row);
      const operation = operations.get(address.operationKey);
      if (operation === undefined || !isOffered(operation)) return null;
      const fields = registry.find(row.connectorKey)?.configFields ?? [];
      const started = findToolWorkflow(row);
      return {
        ...(started !== null && { workflowId: started }),
        inputFields: operation.inputFields,
        ...(operation.fromRow && {
          hasOtherParams: operation.fromRow.hasOtherParams(),
          isFromRow: true,
        }),
        readOutputSchema: () => operation.outputSchema,
        disabled: findDisabled(disabledTypes, row, operation),
        missing: findMissingFields(fields, row).map(({ key }) => key),
      };
    },
    listRows(connectorKey, operationKey) {
      const operation = findOffered(connectorKey, operationKey);
      return operation === null ? [] : (suggested.get(connectorKey) ?? []);
    },
    findWorkflow(id, use) {
      const workflow = workflows.get(id);
      if (workflow === undefined) return null;
      const isOwn = owner.role === "admin" || workflow.ownerId === owner.userId;
      if (use === "run" ? !mayStart(owner, workflow) : !isOwn) return null;
      return { isPublished: workflow.publishedBodyId !== null, isEnabled: workflow.enabled };
    },
  };
}

/** The channels that the owner of a body sees. */
async function readChannels(
  { store, registry, chats }: CheckDeps,
  owner: Caller,
  disabledTypes: ReadonlySet<string>,
): Promise<Pick<ValidationWorld, "findChannel" | "channelSlugs">> {
  const rows = await listChannelRows(store.db, { taggedAmong: toVisibleTags(owner) });
  const events = new Map<string, readonly ChatEventType[]>();
  for (const kind of new Set(rows.map(({ connectorKey }) => connectorKey))) {
    if (chats.has(kind)) events.set(kind, await chats.loadEvents(kind));
  }
  return {
    channelSlugs: rows.flatMap(({ slug }) => slug ?? []),
    findChannel(name) {
      const row = findChannel(rows, owner, name);
      const connector = row && registry.find(row.connectorKey);
      if (!row || !connector) return null;
      const offered = [...connector.operations.values()].filter(isOffered);
      const missing = findMissingFields(connector.configFields, row).map(({ key }) => key);
      return {
        events: events.get(row.connectorKey) ?? [],
        opKeys: offered.map(({ key }) => key),
        findOp(key) {
          const operation = offered.find((one) => one.key === key);
          if (operation === undefined) return null;
          const { inputFields } = operation;
          const readOutputSchema = () => operation.outputSchema;
          const disabled = findDisabled(disabledTypes, row, operation);
          return { inputFields, readOutputSchema, disabled, missing };
        },
        disabled: disabledTypes.has(row.connectorKey) ? "connector" : row.disabled ? "row" : null,
        missing,
      };
    },
  };
}

function findDisabled(
  disabledTypes: ReadonlySet<string>,
  row: RowRecord,
  operation: OperationSpec,
): FoundOperation["disabled"] {
  if (disabledTypes.has(row.connectorKey)) return "connector";
  if (row.disabled) return "row";
  return isOperationOn(row, operation) ? null : "operation";
}

/** Rows to choose from, for the connectors of operations that are not chosen yet. */
async function readSuggested(
  { store, registry }: CheckDeps,
  owner: Caller,
  toolIds: readonly string[],
): Promise<ReadonlyMap<string, readonly RowRecord[]>> {
  const keys = new Set(toolIds.flatMap((toolId) => parsePlaceholder(toolId)?.connectorKey ?? []));
  const suggested = new Map<string, readonly RowRecord[]>();
  for (const connectorKey of keys) {
    // A body may name hundreds of connectors. Only the few that exist are looked for.
    if (registry.find(connectorKey) === null) continue;
    const filter = { connectorKey, taggedAmong: toVisibleTags(owner) };
    suggested.set(connectorKey, await listRowPage(store.db, filter, { limit: suggestedMax }));
  }
  return suggested;
}

const suggestedMax = 3;

/** Ids in one statement. */
const partMax = 500;

async function readParts<Item extends { id: string }>(
  ids: readonly string[],
  read: (part: readonly string[]) => Promise<Item[]>,
): Promise<ReadonlyMap<string, Item>> {
  const unique = [...new Set(ids)];
  const found = new Map<string, Item>();
  for (let start = 0; start < unique.length; start += partMax) {
    for (const item of await read(unique.slice(start, start + partMax))) found.set(item.id, item);
  }
  return found;
}

/** Loaded on first use, since a hub without workflows checks none. */
async function loadValidation() {
  return (await import("../validation/validate-body.ts")).validateBody;
}
