import { EVENT_ID, type Event } from "js-yaml";
import { toTooDeep, YamlFault, type YamlLimits } from "./yaml-fault.ts";

type Collection = { size: number; isOpen: boolean };

/** Counts keys and values, those of an alias each time that it is used. Throws a YamlFault. */
export function checkValues(text: string, events: readonly Event[], limits: YamlLimits): void {
  const { noun, advice, valuesMax } = limits;
  const anchors = new Map<string, Collection>();
  const open: Collection[] = [{ size: 0, isOpen: true }];
  const add = (size: number) => {
    const around = open.at(-1);
    if (around === undefined) return;
    around.size += size;
    if (around.size <= valuesMax) return;
    throw new YamlFault(
      `The ${noun} has more than ${valuesMax.toLocaleString("en")} keys and values, with those that its aliases repeat. ${advice}`,
    );
  };
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const closed = open.pop();
      if (closed === undefined) continue;
      closed.isOpen = false;
      add(closed.size);
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      open.push({ size: 0, isOpen: true });
      continue;
    }
    const name = text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) {
      const named = anchors.get(name);
      if (named?.isOpen) throw toTooDeep(limits);
      add(named?.size ?? 1);
      continue;
    }
    const isScalar = event.type === EVENT_ID.SCALAR;
    const made = { size: 1, isOpen: !isScalar };
    if (event.anchorStart >= 0) anchors.set(name, made);
    if (isScalar) add(1);
    else open.push(made);
  }
}
