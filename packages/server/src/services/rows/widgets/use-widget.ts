import { isJsonObject, type Json, selectOp, toWidgetParams } from "@hub/connector";
import type { Actor } from "../../../changes/actor.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import type { FieldMask, SealedResult, WidgetCall } from "../../../operations/operations.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { checkVersion } from "../row-change.ts";
import { setRow } from "../set-row.ts";
import { type TestContext, toTestContext } from "../test-row.ts";
import { parseWidgetFields, type RefusedField } from "./widget-fields.ts";
import { findUsed, findUsedOperation, settingsRefusal, sortFieldsFor } from "./widget-rights.ts";

type WidgetDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "operations" | "now">;

/** The display of an html widget, or a click on one of its elements. */
export type WidgetInput = {
  field: string;
  /** The element's `data-op`; without one the widget is only rendered. */
  op?: string;
  /** Its `data-arg`. */
  arg?: string;
  /** Values of the widget's named elements. */
  inputs?: Readonly<Record<string, string>>;
  /** The version of the row that the caller read. If the row is newer, the click is refused. */
  version?: number;
};

/** A click on an element of a widget. */
type Clicked = Pick<WidgetInput, "op" | "arg" | "inputs">;

/** The display of an html widget among the inputs of an operation, or a click in it. */
export type InputWidgetInput = Clicked & {
  operation: string;
  /** Key of the input. */
  input: string;
  /** What the form has for the input now. */
  value?: string;
};

/** `html_cut` says that the markup was larger than a result may be, so that its end is missing. */
type Markup = { html: string; html_cut?: boolean };

export type WidgetAnswer = Markup & {
  /** The result of the operation that a click ran, without `html`. */
  result?: Json;
  run_id?: string;
  /** After a click: the fields whose values were saved, and those that were refused. */
  saved?: string[];
  not_saved?: RefusedField[];
};

/** One use of one widget, with the row as it was at the start. */
type Use = {
  ctx: TestContext;
  row: RowRecord;
  connector: RegisteredConnector;
  /** The operation that renders the widget. */
  htmlOp: string;
  /** The current value of the widget's field in a row, or of its input in a form. */
  toValue: (row: RowRecord) => string;
  arg: string | undefined;
  inputs: Readonly<Record<string, string>>;
};

/**
 * Handles a click in an html widget on the test path: `__select` stores the argument as the field's
 * value, anything else is an operation to run. Then renders the widget again, unless the result has
 * its own `html`. Values in the `fields` of the result are saved into the row after a click only:
 * the display of a page must not change anything. Only admins change the row.
 */
export async function useWidget(
  deps: WidgetDeps,
  ctx: TestContext,
  actor: Actor,
  rowId: string,
  { field, op, arg, inputs = {}, version }: WidgetInput,
): Promise<WidgetAnswer> {
  const { row, connector } = await findUsed(deps, ctx, rowId);
  const htmlOp = connector.configFields.find(({ key }) => key === field)?.htmlOp;
  if (htmlOp === undefined) {
    throw new HubError("not_found", `"${row.label}" has no html widget "${field}".`);
  }
  checkVersion(row, version);
  const toValue = (current: RowRecord) => findValue(connector, current, field);
  const use = { ctx, row, connector, htmlOp, toValue, arg, inputs };
  if (op === undefined) return await render(deps, use);
  if (op !== selectOp) {
    return await click(deps, actor, use, findUsedOperation(ctx, connector, op).key);
  }
  if (ctx.caller.role !== "admin") throw new HubError("forbidden", settingsRefusal);
  await setRow(deps, actor, row.id, { values: { [field]: arg ?? "" }, version: row.version });
  return { ...(await renderAnew(deps, use)), saved: [field], not_saved: [] };
}

/**
 * Handles a widget among the inputs of an operation on the test path. The caller's form has the value,
 * so nothing is saved, and `__select` calls nothing.
 */
export async function useInputWidget(
  deps: WidgetDeps,
  ctx: TestContext,
  rowId: string,
  { operation, input, value = "", op, arg, inputs = {} }: InputWidgetInput,
): Promise<WidgetAnswer> {
  const { row, connector } = await findUsed(deps, ctx, rowId);
  const { inputFields } = findUsedOperation(ctx, connector, operation);
  const htmlOp = inputFields.find(({ key }) => key === input)?.htmlOp;
  if (htmlOp === undefined) {
    throw new HubError("not_found", `The operation "${operation}" has no html widget "${input}".`);
  }
  const use = { ctx, row, connector, htmlOp, toValue: () => value, arg, inputs };
  if (op === undefined) return await render(deps, use);
  if (op === selectOp) {
    throw new HubError(
      "bad_request",
      `"${selectOp}" puts its argument into the form, so there is nothing to call.`,
    );
  }
  const { key } = findUsedOperation(ctx, connector, op);
  const { value: result, runId } = await run(deps, use, key);
  const { rest, ...markup } = takeHtml(result);
  const shown = markup.html === null ? await renderAnew(deps, use) : markup;
  return { ...shown, result: rest, run_id: runId };
}

/** The actor is recorded as the author of the change. */
async function click(
  deps: WidgetDeps,
  actor: Actor,
  use: Use,
  operation: string,
): Promise<WidgetAnswer> {
  let fields: unknown;
  let mask: FieldMask | null = null;
  const { value, runId } = await run(deps, use, operation, (taken, callMask) => {
    fields = taken;
    mask = callMask;
  });
  const sealText = (text: string) => mask?.sealText(text) ?? text;
  const { values, refused } = sortFieldsFor(
    use.ctx,
    use.connector,
    parseWidgetFields(operation, fields),
  );
  const saved = Object.keys(values);
  if (saved.length > 0) await saveFields(deps, actor, use, operation, values);
  const { rest, ...markup } = takeHtml(value);
  return {
    ...(markup.html === null ? await renderAnew(deps, use) : markup),
    result: rest,
    run_id: runId,
    saved,
    // The connector chose the names, so they may have secrets.
    not_saved: refused.map(({ field, reason }) => ({ field: sealText(field), reason })),
  };
}

async function saveFields(
  deps: WidgetDeps,
  actor: Actor,
  { row }: Use,
  operation: string,
  values: Record<string, unknown>,
): Promise<void> {
  try {
    // The version from before the operation ran, so that a concurrent change is not lost.
    await setRow(deps, actor, row.id, { values, version: row.version });
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    const { code, message, detail } = thrown;
    throw new HubError(
      code,
      `The operation "${operation}" ran, but none of its fields was saved. ${message}`,
      { detail, cause: thrown },
    );
  }
}

async function renderAnew(deps: WidgetDeps, use: Use): Promise<Markup> {
  const row = await loadRow(deps.store.db, use.row.id);
  return await render(deps, { ...use, row, arg: undefined });
}

async function render(deps: WidgetDeps, use: Use): Promise<Markup> {
  const { htmlOp } = use;
  const { rest: _, ...markup } = takeHtml((await run(deps, use, htmlOp)).value);
  if (markup.html !== null) return markup;
  throw new HubError("upstream_error", `The operation "${htmlOp}" did not return {"html": …}.`);
}

async function run(
  { store, operations }: Pick<WidgetDeps, "store" | "operations">,
  { ctx, row, connector, toValue, arg, inputs }: Use,
  operation: string,
  takeFields?: WidgetCall["takeFields"],
): Promise<SealedResult> {
  const click = {
    inputs,
    browser: arg ?? toValue(row),
    ...(arg !== undefined && { arg }),
  };
  const { inputFields } = findUsedOperation(ctx, connector, operation);
  const request = {
    toolId: toToolId(row.id, operation),
    params: toWidgetParams(inputFields, click),
    widget: { ...click, ...(takeFields && { takeFields }) },
  };
  return await operations.rows.test(toTestContext(store, ctx), request);
}

/** The field's current value as text. */
function findValue({ configFields }: RegisteredConnector, row: RowRecord, key: string): string {
  const stored = row.values.find((value) => value.key === key)?.value;
  return stored || (configFields.find((field) => field.key === key)?.default ?? "");
}

function takeHtml(value: Json): (Markup | { html: null }) & { rest: Json } {
  if (!isJsonObject(value) || typeof value.html !== "string") return { html: null, rest: value };
  const { html, ...rest } = value;
  return { html, rest, ...(isCut(value) && { html_cut: true }) };
}

/** Whether the end of `html` is missing, because the result was larger than the limit. */
function isCut(value: Record<string, unknown>): boolean {
  const note = Object.hasOwn(value, "_truncated") ? value._truncated : undefined;
  if (!isJsonObject(note) || !Array.isArray(note.cuts)) return false;
  return note.cuts.some((cut: unknown) => isJsonObject(cut) && cut.path === "html");
}
