import { selectOp, toWidgetParams } from "@hub/connector";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { Operations } from "../operations/operations.ts";
import { toToolId } from "../operations/tool-id.ts";
import type { Store } from "../store/open-store.ts";
import type { RowRecord } from "../store/rows.ts";
import { findConnector, findOperation } from "./find-connector.ts";
import { findRowByName } from "./find-row.ts";
import { type TestContext, toCallContext } from "./test-row.ts";

type WidgetDeps = {
  store: Store;
  registry: ConnectorRegistry;
  operations: Pick<Operations, "test">;
  /** Stores one value of the row. */
  setValue(rowId: string, field: string, value: string): Promise<unknown>;
};

/** A look at an html widget, or a click on one of its elements. */
export type WidgetInput = {
  row: string;
  field: string;
  /** The element's `data-op`; without one the widget is only rendered. */
  op?: string;
  /** Its `data-arg`. */
  arg?: string;
  /** Values of the widget's named elements. */
  inputs?: Readonly<Record<string, string>>;
};

/**
 * Does what a click in an html widget asks for, on the manager's test path, and renders the widget
 * anew: `__select` stores the argument as the field's value, anything else is an operation to run.
 */
export async function useWidget(
  deps: WidgetDeps,
  ctx: TestContext,
  { row: name, field, op, arg, inputs = {} }: WidgetInput,
): Promise<{ html: string }> {
  const row = await findRowByName(deps.store.db, name);
  const connector = findConnector(deps.registry, row.connectorKey);
  const htmlOp = connector.configFields.find(({ key }) => key === field)?.htmlOp;
  if (htmlOp === undefined) {
    throw new HubError("not_found", `"${row.label}" has no html widget "${field}".`);
  }
  if (op === selectOp) {
    await deps.setValue(row.id, field, arg ?? "");
  } else if (op !== undefined) {
    const { key, inputFields } = findOperation(connector, op);
    const click = { inputs, ...(arg !== undefined && { arg }) };
    await run(deps, ctx, row, key, toWidgetParams(inputFields, click));
  }
  return { html: readHtml(htmlOp, await run(deps, ctx, row, htmlOp, {})) };
}

async function run(
  { operations }: WidgetDeps,
  ctx: TestContext,
  row: RowRecord,
  operation: string,
  params: Record<string, unknown>,
): Promise<unknown> {
  const request = { toolId: toToolId(row.id, operation), params };
  return (await operations.test(toCallContext(ctx), request)).value;
}

function readHtml(operation: string, result: unknown): string {
  if (typeof result === "object" && result !== null && "html" in result) {
    if (typeof result.html === "string") return result.html;
  }
  throw new HubError("upstream_error", `The operation "${operation}" answered no {"html": …}.`);
}
