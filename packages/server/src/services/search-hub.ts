import { containsText } from "@hub/connector";
import type { Found } from "@hub/contract/search-result.ts";
import { z } from "zod";
import type { Caller } from "../caller.ts";
import { findRowLogo } from "../connectors/logos/find-logo.ts";
import { toVisibleTags } from "../connectors/rows/row-visibility.ts";
import { checkInput } from "../lib/input/check-input.ts";
import { listRows } from "../store/rows/rows-table.ts";
import { searchRows, searchTags, searchUsers } from "../store/search/search-texts.ts";
import { findWorkflowsByWords } from "../workflows/definition/list-workflows.ts";
import { findWorkflowOfRun } from "../workflows/runs/find-workflow-of-run.ts";
import { listVisibleTypes } from "./connectors/connector-types.ts";
import { findKnown } from "./rows/states/read-row-states.ts";
import type { ServiceDeps } from "./service-deps.ts";

const ofEachMax = 8;
/** Bounds the time that a search takes. */
const queryCharsMax = 100;
const wordsMax = 8;
/** Operations that the words are looked for in. */
const ranked = 30;

const querySchema = z
  .string()
  .trim()
  .min(1, { error: "must not be empty." })
  .max(queryCharsMax, { error: `must have at most ${queryCharsMax} characters.` });

type SearchDeps = Pick<ServiceDeps, "store" | "registry" | "operations" | "now">;

/**
 * Finds connectors, rows and operations that the caller sees, and for admins users and tags. Operations
 * are found as `hub_search` finds them, by words alone, the others by parts of their names.
 */
export async function searchHub(
  deps: SearchDeps,
  caller: Caller,
  input: { q: string },
): Promise<Found> {
  const { q } = checkInput(z.object({ q: querySchema }), input);
  const { db } = deps.store;
  const words = q.split(/\s+/).slice(0, wordsMax);
  const search = { words, limit: ofEachMax };
  const isAdmin = caller.role === "admin";
  return {
    connectors: await findTypes(deps, caller, words),
    rows: await findRows(deps, caller, search),
    operations: await findOperations(deps, caller, q, words),
    workflows: await findWorkflowsByWords(deps, caller, { ...search, words: dropVerbs(words) }),
    workflow_runs: await findWorkflowRuns(deps, caller, q),
    users: isAdmin ? await searchUsers(db, search) : [],
    tags: isAdmin ? await searchTags(db, search) : [],
  };
}

async function findRows(
  deps: SearchDeps,
  caller: Caller,
  search: { words: readonly string[]; limit: number },
): Promise<Found["rows"]> {
  const { db } = deps.store;
  const found = await searchRows(db, { ...search, taggedAmong: toVisibleTags(caller) });
  const records = await listRows(db, { ids: found.map(({ id }) => id) });
  const known = new Map((await findKnown(deps, records)).map((row) => [row.record.id, row]));
  return found.flatMap(({ id, label, connectorKey: connector }) => {
    const row = known.get(id);
    if (row === undefined) return [];
    const type = deps.registry.find(connector);
    const connector_name = type?.name ?? connector;
    const logo = findRowLogo(row.record, type);
    return [{ id, label, connector, connector_name, logo, state: row.state }];
  });
}

/** Without what people do with a workflow, so that "run report" finds the report. */
function dropVerbs(words: readonly string[]): readonly string[] {
  const others = words.filter((word) => !/^(?:run|edit)$/i.test(word));
  return others.length === 0 ? words : others;
}

async function findWorkflowRuns(
  deps: SearchDeps,
  caller: Caller,
  q: string,
): Promise<Found["workflow_runs"]> {
  if (!z.uuid().safeParse(q).success) return [];
  const id = q.toLowerCase();
  const workflow = await findWorkflowOfRun(deps, caller, id);
  return workflow === null ? [] : [{ id, workflow: workflow.id, name: workflow.name }];
}

async function findTypes(
  deps: SearchDeps,
  caller: Caller,
  words: readonly string[],
): Promise<Found["connectors"]> {
  const { connectors } = await listVisibleTypes(deps, caller);
  return connectors
    .filter(({ key, name }) => hasWords([key, name], words))
    .slice(0, ofEachMax)
    .map(({ key, name, logo }) => ({ key, name, logo }));
}

async function findOperations(
  { operations }: SearchDeps,
  caller: Caller,
  query: string,
  words: readonly string[],
): Promise<Found["operations"]> {
  const { tools } = await operations.catalogue.browse(caller, {
    query,
    within: {},
    limit: ranked,
    isByWords: true,
  });
  // The search of clients also finds similar words, which would surprise a reader of a short list.
  return tools
    .filter(({ operationKey, name, label, connectorName, description }) =>
      hasWords([operationKey, name, label, connectorName, description], words),
    )
    .slice(0, ofEachMax)
    .map(({ rowId, label, connectorKey, logo, operationKey, name }) => ({
      row: rowId,
      label,
      connector: connectorKey,
      logo,
      key: operationKey,
      name,
    }));
}

function hasWords(texts: readonly string[], words: readonly string[]): boolean {
  const text = texts.join("\n").toLowerCase();
  return words.every((word) => containsText(text, word.toLowerCase()));
}
