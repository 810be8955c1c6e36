import type { ImportPlan, PlannedServer } from "@hub/contract/server-import.ts";
import { mayStartPrograms } from "../../../bridges/may-start-programs.ts";
import { findOwnKey } from "../../../connectors/kept-keys.ts";
import { HubError } from "../../../errors.ts";
import { checkInput, lineSchema } from "../../../lib/input/check-input.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { findRowIdsByLabel } from "../../../store/search/name-lookups.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { toFieldTexts } from "../row-values.ts";
import { readServersFile, type ServerEntry } from "./read-servers-file.ts";
import { type ImportedRow, toRow } from "./to-row.ts";

export type PlanDeps = Pick<ServiceDeps, "store" | "registry" | "config">;

export type ImportFile = { file: string; text: string };

/** A server that can become a row has its values. */
export type PlannedRow = { shown: PlannedServer; row: ImportedRow | null };

/**
 * The connector of imported rows: that of the hub itself, whose key a plugin may have. Throws `conflict` if plugins have
 * both of its keys: they would get the secrets of the file.
 */
export function findImportedConnector({ registry }: Pick<PlanDeps, "registry">): string {
  const key = findOwnKey(registry, "mcp");
  if (key !== null) return key;
  throw new HubError(
    "conflict",
    "This hub's own connector for MCP servers is off, because plugins have its keys. Remove the plugin `hub_mcp`, and restart the hub.",
  );
}

/** What an import of a client's file would make, and what is wrong with the other servers. */
export async function planImport(deps: PlanDeps, file: ImportFile): Promise<ImportPlan> {
  const planned = await planRows(deps, file);
  return {
    may_start_programs: mayStartPrograms(deps.config),
    servers: planned.map(({ shown }) => shown),
  };
}

/** The same with the values of the rows, which may be secrets. */
export async function planRows(deps: PlanDeps, { file, text }: ImportFile): Promise<PlannedRow[]> {
  const entries = await readServersFile(file, text);
  const labels = new Set<string>();
  const planned: PlannedRow[] = [];
  for (const [index, entry] of entries.entries()) {
    const label = chooseLabel(entry, labels);
    labels.add(label);
    const row = toRow({ ...entry, name: label });
    await yieldToEventLoop();
    const problem = await findProblem(deps, row);
    const isRow = "values" in row;
    planned.push({
      row: isRow && problem === null ? row : null,
      shown: {
        index,
        label,
        folder: entry.folder,
        transport: isRow ? row.transport : null,
        target: isRow ? row.target : null,
        starts_program: isRow && row.startsProgram,
        secrets: isRow ? row.secrets : [],
        missing: isRow ? row.missing : [],
        problem,
      },
    });
  }
  return planned;
}

/** Two folders may have servers of the same name. */
function chooseLabel({ name, folder }: ServerEntry, used: ReadonlySet<string>): string {
  const own = name.trim();
  if (!used.has(own)) return own;
  const project = folder?.split(/[\\/]/).findLast((part) => part !== "");
  const named = project === undefined ? own : `${own} (${project})`;
  for (let at = 2; ; at += 1) {
    const label = at === 2 ? named : `${named} ${at - 1}`;
    if (!used.has(label)) return label;
  }
}

type Found = ReturnType<typeof toRow>;

async function findProblem(deps: PlanDeps, row: Found): Promise<string | null> {
  if ("reason" in row) return row.reason;
  try {
    checkInput(lineSchema(100), row.label);
  } catch (thrown) {
    if (thrown instanceof HubError) return `Its name ${thrown.message}`;
    throw thrown;
  }
  if (row.startsProgram && !mayStartPrograms(deps.config)) {
    return "It starts a program, which this hub does not allow (HUB_BRIDGE_STDIO).";
  }
  if ((await findRowIdsByLabel(deps.store.db, row.label)).length > 0) {
    return "There is a row with this label.";
  }
  try {
    toFieldTexts(
      findConnector(deps.registry, findImportedConnector(deps)).configFields,
      row.values,
    );
    return null;
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown.message;
    throw thrown;
  }
}
