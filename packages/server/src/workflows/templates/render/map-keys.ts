import { chargeSteps, type RenderContext } from "./render-context.ts";
import { compareTexts } from "./template-values.ts";

/** The own keys of an object in their order. They are listed once in a rendering. */
export function listKeys(ctx: RenderContext, map: object): readonly string[] {
  return findEntry(ctx, map).own;
}

/** The own keys of an object in the order of Go: by code points. */
export function listSortedKeys(ctx: RenderContext, map: object): readonly string[] {
  const entry = findEntry(ctx, map);
  if (entry.sorted === null) {
    // The order of UTF-16 code units is that of code points below the surrogates.
    const isPlain = !entry.own.some((key) => /[\ud800-\uffff]/.test(key));
    chargeSteps(ctx, entry.own.length * (isPlain ? 2 : 8));
    entry.sorted = isPlain ? [...entry.own].sort() : [...entry.own].sort(compareTexts);
  }
  return entry.sorted;
}

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
