import { isJsonObject, type Json } from "@hub/connector";

/**
 * Paths into a JSON value, such as `items.*.title`. A step is the name of a member, the number of an
 * item, or `*` for all of either. A list may be left out of a path: `items.title` picks the title of
 * each item. A dot in a name is written as `\.`.
 */
export type FieldPaths = readonly string[];

/** The parts of a value at the paths, in its own structure. Paths that match nothing are listed. */
export type Picked = { value: Json; missing: string[] };

/** Picks parts of a value in one pass for all paths. */
export function pickFields(value: Json, paths: FieldPaths): Picked {
  const found = new Set<number>();
  const fieldPaths = paths.map((path, index) => ({ steps: splitPath(path), at: 0, index }));
  const kept = pick(value, fieldPaths, found);
  const missing = paths.filter((_, index) => !found.has(index));
  return { value: kept === nothing ? emptyLike(value) : kept, missing };
}

/**
 * The same as a result: paths without a match are named in `_missing_fields`. A value that is not an
 * object is put under `result` beside it.
 */
export function pickResult(value: Json, paths: FieldPaths): Json {
  const { value: kept, missing } = pickFields(value, paths);
  if (missing.length === 0) return kept;
  return { ...(isJsonObject(kept) ? kept : { result: kept }), _missing_fields: missing };
}

/** Whether one of the paths reaches this place or a part of it. */
export function reachesField(path: ReadonlyArray<string | number>, paths: FieldPaths): boolean {
  return paths.some((one) => {
    const steps = splitPath(one);
    let at = 0;
    for (const key of path) {
      if (at === steps.length) return true;
      if (isMatch(steps[at], key)) at += 1;
      else if (typeof key !== "number") return false;
    }
    return true;
  });
}

/** A path, and how many of its steps are behind it. */
type FieldPath = { steps: readonly string[]; at: number; index: number };

const nothing = Symbol("nothing");

function pick(
  value: Json,
  fieldPaths: readonly FieldPath[],
  found: Set<number>,
): Json | typeof nothing {
  if (fieldPaths.some(({ steps, at }) => at === steps.length)) {
    // Longer paths are in what is picked here.
    for (const { index } of fieldPaths) found.add(index);
    return value;
  }
  if (Array.isArray(value)) return pickItems(value, fieldPaths, found);
  if (!isJsonObject(value)) return nothing;
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const inside = pickInside(member, findNext(fieldPaths, key), found);
    return inside === nothing ? [] : [[key, inside] as const];
  });
  return kept.length === 0 ? nothing : Object.fromEntries(kept);
}

function pickItems(
  items: readonly Json[],
  fieldPaths: readonly FieldPath[],
  found: Set<number>,
): Json | typeof nothing {
  const kept = items.flatMap((item, number) => {
    const next = findNext(fieldPaths, number);
    // A path that does not name the list goes on in each object of it.
    const through = isJsonObject(item)
      ? fieldPaths.filter(({ steps, at }) => !isMatch(steps[at], number))
      : [];
    const inside = pickInside(item, [...next, ...through], found);
    return inside === nothing ? [] : [inside];
  });
  return kept.length === 0 ? nothing : kept;
}

function pickInside(
  value: Json,
  fieldPaths: readonly FieldPath[],
  found: Set<number>,
): Json | typeof nothing {
  return fieldPaths.length === 0 ? nothing : pick(value, fieldPaths, found);
}

function findNext(fieldPaths: readonly FieldPath[], key: string | number): FieldPath[] {
  return fieldPaths
    .filter(({ steps, at }) => isMatch(steps[at], key))
    .map((fieldPath) => ({ ...fieldPath, at: fieldPath.at + 1 }));
}

function isMatch(step: string | undefined, key: string | number): boolean {
  return step === "*" || step === String(key);
}

function emptyLike(value: Json): Json {
  return Array.isArray(value) ? [] : {};
}

function splitPath(path: string): string[] {
  return (path.match(/(?:\\.|[^.\\])+/g) ?? []).map((step) => step.replace(/\\(.)/g, "$1"));
}
