import { chargeSteps, type RenderContext } from "./render-context.ts";
import { compareTexts } from "./values.ts";

/** The own keys of an object in their order. They are listed once in a rendering. */
export function listKeys(ctx: RenderContext, map: object): readonly string[] {
  return findEntry(ctx, map).own;
}

/** The own keys of an object in the order of Go: by code points. */
export function listSortedKeys(ctx: RenderContext, map: object): readonly string[] {
  const entry = findEntry(ctx, map);
  if (entry.sorted === null) {
    chargeSteps(ctx, entry.own.length * sortStepsPerKey);
    entry.sorted = [...entry.own].sort(compareTexts);
  }
  return entry.sorted;
}

const sortStepsPerKey = 4;
const keysPerStep = 4;

function findEntry(ctx: RenderContext, map: object) {
  const { keys } = ctx.budget;
  const known = keys.get(map);
  if (known !== undefined) return known;
  const entry = { own: Object.keys(map), sorted: null };
  chargeSteps(ctx, 1 + Math.ceil(entry.own.length / keysPerStep));
  keys.set(map, entry);
  return entry;
}
