import { useSyncExternalStore } from "react";
import { parseExactJson } from "../../../../api/exact-json.ts";

/** Outputs of past runs that stand in for those of nodes in tests of a draft, by node. */
export type Pins = Readonly<Record<string, unknown>>;

const none: Pins = {};
const changed = "hub-pins";
const toKey = (workflow: string) => `hub-pins ${workflow}`;

/** What was read last: the same text is the same value. */
const read = { text: null as string | null, pins: none };

/** The pins of a workflow in this window. They end with it. */
export function usePins(workflow: string): Pins {
  return useSyncExternalStore(subscribe, () => readPins(workflow));
}

export function setPin(workflow: string, node: string, output: unknown): void {
  const { [node]: _, ...rest } = readPins(workflow);
  const pins = output === undefined ? rest : { ...rest, [node]: output };
  // Without space, the pin is only in this page.
  read.text = JSON.stringify(pins);
  read.pins = pins;
  try {
    sessionStorage.setItem(toKey(workflow), read.text);
  } catch {}
  window.dispatchEvent(new Event(changed));
}

function readPins(workflow: string): Pins {
  const text = sessionStorage.getItem(toKey(workflow));
  if (text === null) return none;
  if (text === read.text) return read.pins;
  read.text = text;
  // `setPin` wrote it.
  read.pins = parseExactJson(text) as Pins;
  return read.pins;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(changed, onChange);
  return () => window.removeEventListener(changed, onChange);
}

/** The output of a step as a pin. Null if only a part of it is shown. */
export function toPin(step: { output: unknown; case: string | null }): { value: unknown } | null {
  const { output } = step;
  if (Object.hasOwn(Object(output), "_truncated")) return null;
  return { value: step.case === null ? output : toCasePin(output, step.case) };
}

/** A pin of an approval says its case; the output of a branch is its case already. */
function toCasePin(output: unknown, name: string): unknown {
  return typeof output === "object" && output !== null ? { ...output, case: name } : output;
}
