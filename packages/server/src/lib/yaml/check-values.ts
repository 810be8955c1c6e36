import { EVENT_ID, type Event } from "js-yaml";
import { toTooDeep, YamlFault, type YamlLimits } from "./yaml-fault.ts";

type Collection = { size: number; chars: number; isOpen: boolean };

/** The characters of the texts that all aliases repeat. */
const repeatedCharsMax = 16 * 1024 * 1024;

/**
 * Counts keys and values, those of an alias each time that it is used. Attack: a thousand aliases of a long text take no
 * memory until the value is written. Throws a YamlFault.
 */
export function checkValues(text: string, events: readonly Event[], limits: YamlLimits): void {
  const { noun, advice, valuesMax } = limits;
  const anchors = new Map<string, Collection>();
  const open: Collection[] = [{ size: 0, chars: 0, isOpen: true }];
  let repeatedChars = 0;
  const add = ({ size, chars }: Omit<Collection, "isOpen">) => {
    const around = open.at(-1);
    if (around === undefined) return;
    around.size += size;
    around.chars += chars;
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
      add(closed);
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      open.push({ size: 0, chars: 0, isOpen: true });
      continue;
    }
    const name = text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) {
      const named = anchors.get(name);
      if (named?.isOpen) throw toTooDeep(limits);
      repeatedChars += named?.chars ?? 0;
      if (repeatedChars > repeatedCharsMax) {
        throw new YamlFault(
          `The aliases of the ${noun} repeat texts of more than ${repeatedCharsMax.toLocaleString("en")} characters. ${advice}`,
        );
      }
      add(named ?? { size: 1, chars: 0 });
      continue;
    }
    const isScalar = event.type === EVENT_ID.SCALAR;
    const chars = isScalar ? event.valueEnd - event.valueStart : 0;
    const made = { size: 1, chars, isOpen: !isScalar };
    if (event.anchorStart >= 0) anchors.set(name, made);
    if (isScalar) add(made);
    else open.push(made);
  }
}
