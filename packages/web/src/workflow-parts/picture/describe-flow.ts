import { type Body, findItem, isTrigger } from "../../pages/canvas/graph/body.ts";
import { toTitle } from "../../pages/canvas/graph/describe-item.ts";
import { sortItems } from "../../pages/canvas/graph/walk-graph.ts";

const stepsMax = 12;

/** The flow in words, in reading order: what starts it, then its steps. */
export function describeFlow(body: Body): string {
  const names = (wanted: boolean) =>
    sortItems(body)
      .filter((id) => isTrigger(body, id) === wanted)
      .map((id) => {
        const item = findItem(body, id);
        return item === null ? id : toTitle(item, wanted);
      });
  const [triggers, steps] = [names(true), names(false)];
  const start = triggers.length === 0 ? "Nothing starts it" : `Starts with ${toList(triggers)}`;
  return steps.length === 0 ? `${start}. No steps.` : `${start}. Then ${toList(steps)}.`;
}

function toList(names: readonly string[]): string {
  const shown = names.slice(0, stepsMax).join(", ");
  return names.length > stepsMax ? `${shown} and ${names.length - stepsMax} more` : shown;
}
