import { findNearest, toJsonText } from "@hub/connector";
import type { HostContext } from "../logs-config-fields.ts";
import { requestLabels, requestLabelValues } from "../request-labels.ts";
import { toRfc3339 } from "../time/rfc3339.ts";
import { showWindow, type Window } from "../time/window.ts";
import { type RawEntry, readEntries } from "./read-entries.ts";
import { requestFrames } from "./request-frames.ts";
import {
  findSelector,
  hasFilters,
  type Matcher,
  type Selector,
  toSelectorText,
} from "./selector.ts";

/** The time limit for a hint. */
const hintTimeoutMs = 10_000;

/** The maximum number of names in a hint. */
const namesMax = 30;

/** The maximum number of equality matchers whose values are looked up. */
const matchersMax = 3;

/**
 * Finds a possible reason for an empty result: a filter that drops all lines, a wrong window, or an unknown
 * label or value. Never throws, because the empty result is valid without a hint.
 */
export async function findHint(ctx: HostContext, query: string, window: Window): Promise<string> {
  const selector = findSelector(query);
  if (selector === null) return general;
  const signal = AbortSignal.timeout(hintTimeoutMs);
  try {
    const context = { ctx, selector, signal };
    return (
      (await findDropped(context, query, window)) ??
      (await findElsewhere(context, window)) ??
      (await findWrongName(context, window)) ??
      `${general} Each label and value of ${selector.text} exists, but no stream has them together in this window.`
    );
  } catch {
    // The log store may not have these addresses, or may be slow. The hint then omits their details.
    return general;
  }
}

type HintContext = { ctx: HostContext; selector: Selector; signal: AbortSignal };

const general = "Nothing matched. Check the labels with labels and label_values, or widen start.";

/** The advice for errors that the log store hides behind an empty answer. */
async function findDropped(
  context: HintContext,
  query: string,
  window: Window,
): Promise<string | null> {
  const { selector } = context;
  if ((await findNewest(context, selector.text, window)) === null) return null;
  const found = `The selector ${selector.text} has lines in this window`;
  const isLogQuery = query.trimStart().startsWith("{");
  if (!hasFilters(query, selector)) {
    return isLogQuery ? `${found}. ${swallowedAdvice}` : `${found}. ${noSeriesAdvice}`;
  }
  if (isLogQuery && (await findNewest(context, query, window)) !== null) {
    return `Lines match in this window. ${swallowedAdvice}`;
  }
  return `${found}, but what follows it in the query lets none of them pass. Loosen the line filters or parsers. A regular expression that is not valid reads the same.`;
}

const swallowedAdvice =
  "Loki's answer may have exceeded its limit of 4 MB, for which Loki returns no lines. Try a smaller limit, such as 10, or a shorter window.";

const noSeriesAdvice =
  "Loki may have failed and returned no series. Try a shorter window, or a longer range such as [5m].";

async function findElsewhere(context: HintContext, window: Window): Promise<string | null> {
  const { text } = context.selector;
  const wide = toWideWindow(window);
  const newest = await findNewest(context, text, wide);
  if (newest === null) return null;
  const { start, end } = showWindow(wide);
  return `There are no lines in this window, but the selector ${text} has lines between ${start} and ${end}, the newest at ${toRfc3339(newest.timeNs)}. Change start and end.`;
}

/**
 * The newest line of a query. Requests one line, because the store's statistics omit lines that are not
 * flushed yet, at least those of the last half hour.
 */
async function findNewest(
  { ctx, signal }: HintContext,
  query: string,
  window: Window,
): Promise<RawEntry | null> {
  const entries = await findLines({ ctx, signal }, { query, window, lines: 1 });
  return entries[0] ?? null;
}

async function findLines(
  { ctx, signal }: Pick<HintContext, "ctx" | "signal">,
  request: { query: string; window: Window; lines: number },
): Promise<RawEntry[]> {
  const frames = await requestFrames(ctx, { ...request, direction: "backward" }, signal);
  const { startNs, endNs } = request.window;
  return readEntries(frames, "backward").filter(
    ({ timeNs }) => timeNs >= startNs && timeNs < endNs,
  );
}

async function findWrongName(context: HintContext, window: Window): Promise<string | null> {
  const { ctx, selector, signal } = context;
  const wide = toWideWindow(window);
  const names = await requestLabels(ctx, wide, signal);
  if (names.length === 0) return "There are no logs near this window.";
  const wanted = selector.matchers.filter(asksForPresence);
  const unknown = wanted.find(({ label }) => !names.includes(label));
  if (unknown !== undefined) {
    const beside = await findBesideLabels(context, unknown, { window: wide, names });
    if (beside !== null) return beside;
    return `There is no label ${unknown.label} near this window.${toSuggestion(unknown.label, names)}`;
  }
  for (const { label, value } of wanted.filter(isEquality).slice(0, matchersMax)) {
    const values = await requestLabelValues(ctx, label, wide, signal);
    if (values.includes(value)) continue;
    return `The label ${label} has no value ${JSON.stringify(value)} near this window.${toSuggestion(value, values)}`;
  }
  return null;
}

/** The number of lines in which names other than stream labels are searched. */
const sampleLines = 20;

/** Selectors do not accept structured metadata and parsed labels, but filters after the selector do. */
async function findBesideLabels(
  { ctx, selector, signal }: HintContext,
  { label, operator, value }: Matcher,
  { window, names }: { window: Window; names: readonly string[] },
): Promise<string | null> {
  const others = selector.matchers.filter((each) => each.label !== label);
  const rest = toSelectorText(others, names[0] ?? "job");
  const request = { query: rest, window, lines: sampleLines };
  const lines = label === "detected_level" ? [] : await findLines({ ctx, signal }, request);
  const isBeside =
    label === "detected_level" || lines.some(({ metadata = {} }) => Object.hasOwn(metadata, label));
  if (!isBeside) return null;
  return `${label} is structured metadata and no stream label, so no selector takes it. Filter behind the selector: ${rest} | ${label}${operator}${JSON.stringify(value)}`;
}

/** Widens the window by a week before it and a day after it. */
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

function toSuggestion(wrong: string, names: readonly string[]): string {
  const nearest = findNearest(wrong, names);
  if (nearest !== null) return ` Did you mean ${nearest}?`;
  const shown = toJsonText(names.slice(0, namesMax));
  return ` There is ${shown}${names.length > namesMax ? ` and ${names.length - namesMax} more` : ""}.`;
}
