import { findNearest, isJsonObject, toJsonText } from "@hub/connector";
import type { HostContext } from "../config-fields.ts";
import { requestResource } from "../request.ts";
import { requestLabels, requestLabelValues } from "../request-labels.ts";
import { showWindow, toNsQuery, type Window } from "../time/window.ts";
import { findSelector, type Matcher, type Selector } from "./selector.ts";

/** A hint is worth so much waiting, and no more. */
const hintTimeoutMs = 10_000;

/** So many names are told. */
const namesMax = 30;

/** Equality matchers whose values are looked up. */
const matchersMax = 3;

/**
 * Why a query may have matched nothing: a filter that drops all lines, the wrong window, or a label
 * or value that does not exist. Never fails, for the empty result is true all the same.
 */
export async function findHint(ctx: HostContext, query: string, window: Window): Promise<string> {
  const selector = findSelector(query);
  if (selector === null) return general;
  const signal = AbortSignal.timeout(hintTimeoutMs);
  try {
    const asking = { ctx, selector, signal };
    return (
      (await findDropped(asking, window)) ??
      (await findElsewhere(asking, window)) ??
      (await findWrongName(asking, window)) ??
      `${general} Each label and value of ${selector.text} exists, but no stream has them together in this window.`
    );
  } catch {
    // The log store may lack these addresses, or be slow; what can be said without them is said.
    return general;
  }
}

type Asking = { ctx: HostContext; selector: Selector; signal: AbortSignal };

const general = "Nothing matched. Check the labels with labels and label_values, or widen start.";

async function findDropped(asking: Asking, window: Window): Promise<string | null> {
  const lines = await countLines(asking, window);
  if (lines === 0) return null;
  return `The selector ${asking.selector.text} has about ${lines} lines in this window, but what follows it in the query lets none of them pass. Loosen the line filters or parsers.`;
}

async function findElsewhere(asking: Asking, window: Window): Promise<string | null> {
  const wide = toWideWindow(window);
  const lines = await countLines(asking, wide);
  if (lines === 0) return null;
  const { start, end } = showWindow(wide);
  return `Nothing in this window, but the selector ${asking.selector.text} has about ${lines} lines between ${start} and ${end}. Change start and end.`;
}

async function findWrongName(
  { ctx, selector, signal }: Asking,
  window: Window,
): Promise<string | null> {
  const wide = toWideWindow(window);
  const names = await requestLabels(ctx, wide, signal);
  if (names.length === 0) return "There are no logs at all around this window.";
  const wanted = selector.matchers.filter(asksForPresence);
  const unknown = wanted.find(({ label }) => !names.includes(label));
  if (unknown !== undefined) {
    return `There is no label ${unknown.label} around this window.${suggestOf(unknown.label, names)}`;
  }
  for (const { label, value } of wanted.filter(isEquality).slice(0, matchersMax)) {
    const values = await requestLabelValues(ctx, label, wide, signal);
    if (values.includes(value)) continue;
    return `The label ${label} has no value ${JSON.stringify(value)} around this window.${suggestOf(value, values)}`;
  }
  return null;
}

/** The log store's own count, which is near the truth and cheap. */
async function countLines({ ctx, selector, signal }: Asking, window: Window): Promise<number> {
  const query = { query: selector.text, ...toNsQuery(window) };
  const stats = await requestResource(ctx, "index/stats", query, signal);
  const { entries, streams } = isJsonObject(stats) ? stats : {};
  return typeof entries === "number" && streams !== 0 ? entries : 0;
}

/** The week before the window and as much of a day after it. */
function toWideWindow({ startNs, endNs }: Window): Window {
  const weekAgoNs = startNs - 7n * dayNs;
  return { startNs: weekAgoNs > 0n ? weekAgoNs : 0n, endNs: endNs + dayNs };
}

const dayNs = 86_400_000_000_000n;

/** `{app!="x"}` and `{app=~".*"}` also match streams without the label. */
function asksForPresence({ operator, value }: Matcher): boolean {
  return (operator === "=" && value !== "") || (operator === "=~" && /^\w/.test(value));
}

function isEquality({ operator }: Matcher): boolean {
  return operator === "=";
}

function suggestOf(wrong: string, names: readonly string[]): string {
  const nearest = findNearest(wrong, names);
  if (nearest !== null) return ` Did you mean ${nearest}?`;
  const shown = toJsonText(names.slice(0, namesMax));
  return ` There is ${shown}${names.length > namesMax ? ` and ${names.length - namesMax} more` : ""}.`;
}
