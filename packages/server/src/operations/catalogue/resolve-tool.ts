import type { Operation } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Directory, Row } from "../../connectors/rows/row-directory.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { judge } from "../admission/admit.ts";
import type { Admitted, ToolCall, World } from "../admission/call.ts";
import { isListed } from "../admission/list-form.ts";
import type { NamedOperation, ToolName } from "../operations.ts";
import { type Asker, findAddressed } from "./find-operation.ts";
import { parseToolBeginning, parseToolId } from "./tool-id.ts";

type ResolveDeps = Omit<World, "directory" | "registry"> & {
  registry: ConnectorRegistry;
  directory: Directory;
};

/** More rows with one label name no operation, so that a search for a name in their operations stays short. */
const rowsOfLabelMax = 20;

/**
 * The call of the operation that a caller names, before admission. Only operations that the caller may see are
 * candidates, so a hidden one makes no name ambiguous. An ambiguous name is that of no operation, as an unknown one.
 * Every door that takes the arguments of a call asks this.
 */
export function resolveTool(
  deps: ResolveDeps,
  asker: Asker,
  { toolId, named }: ToolName,
): ToolCall {
  const address = named === undefined ? parseToolId(toolId) : null;
  if (address !== null) return findAddressed(deps, asker, address);
  const visible = named ? listNamed(deps, asker, named) : listBeginning(deps, asker, toolId);
  return findOnly(deps, visible) ?? { ...asker, row: null, connector: null, operation: null };
}

type Candidate = Admitted<ToolCall>;

/** Of several, the only one that lists show: a copy of a row begins disabled, and has the same names. */
function findOnly(world: World, candidates: readonly Candidate[]): Candidate | null {
  const [first] = candidates;
  if (candidates.length < 2) return first ?? null;
  const [listed, ...others] = candidates.filter((candidate) => isListed(world, candidate));
  return others.length === 0 ? (listed ?? null) : null;
}

function listBeginning(deps: ResolveDeps, asker: Asker, toolId: string): Candidate[] {
  const address = parseToolBeginning(toolId);
  if (address === null) return [];
  return deps.directory.listByBeginning(address.rowId).flatMap((row) => {
    const operation = row.operations.get(address.operationKey);
    return operation === undefined ? [] : toVisible(deps, asker, row, operation);
  });
}

/** A label or a key that is written exactly comes before one in other letters, and a key before a name. */
function listNamed(
  deps: ResolveDeps,
  asker: Asker,
  { row: label, operation }: NamedOperation,
): Candidate[] {
  const rows = deps.directory.listByLabel(label).filter((row) => isRowVisible(deps, asker, row));
  if (rows.length > rowsOfLabelMax) return [];
  const exact = rows.filter((row) => row.label === label.trim());
  const ofLabel = exact.length > 0 ? exact : rows;
  const key = operation.trim().toLowerCase();
  const byKey = ofLabel.flatMap((row) => {
    const found = row.operations.get(key);
    return found === undefined ? [] : toVisible(deps, asker, row, found);
  });
  if (byKey.length > 0) return byKey;
  return ofLabel.flatMap((row) =>
    [...row.operations.values()]
      .filter(({ name }) => name.trim().toLowerCase() === key)
      .flatMap((found) => toVisible(deps, asker, row, found)),
  );
}

/**
 * Whether the caller sees an operation of the row: a hidden row must not decide which label is meant. The row is asked
 * before its operations, whose number would otherwise tell by the time taken that a hidden row has the label.
 */
function isRowVisible(deps: ResolveDeps, asker: Asker, row: Row): boolean {
  if (!isVisible(asker.caller, row)) return false;
  for (const operation of row.operations.values()) {
    if (toVisible(deps, asker, row, operation).length > 0) return true;
  }
  return false;
}

function toVisible(deps: ResolveDeps, asker: Asker, row: Row, operation: Operation): Candidate[] {
  const connector = deps.registry.find(row.connectorKey);
  const call: ToolCall = { ...asker, row, connector, operation };
  if (connector === null || judge(deps, call, "visibility").kind !== "pass") return [];
  return [{ ...call, row, connector, operation }];
}
