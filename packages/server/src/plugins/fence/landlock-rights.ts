import type { Rule } from "./list-rules.ts";

/** The newest version of Landlock whose rights the hub knows. */
const versionMax = 7;

/** Bits of `LANDLOCK_ACCESS_FS_…`. */
const execute = 1n << 0n;
const writeFile = 1n << 1n;
const readFile = 1n << 2n;
const readDir = 1n << 3n;
const truncate = 1n << 14n;
const ioctlDevice = 1n << 15n;

/** The number of rights for files in each version, from 1. */
const rightCounts = [13n, 14n, 15n, 15n, 16n, 16n, 16n];

/** `LANDLOCK_SCOPE_SIGNAL`, since version 6. */
const scopeSignal = 1n << 1n;

/** What a version can refuse. Whatever is not handled stays allowed. */
export type LandlockRights = {
  handled: bigint;
  /** Whether signals reach only processes in the same fence. */
  fencesSignals: boolean;
  toRights(rule: Pick<Rule, "rights">): bigint;
  /** The rights among them that a file can have; the kernel refuses others for files. */
  toFileRights(rights: bigint): bigint;
  /** The struct `landlock_ruleset_attr` of the version. */
  attributes: BigUint64Array;
};

/** Returns the rights of a version, which is at least 1. */
export function findLandlockRights(version: number): LandlockRights {
  const known = Math.min(version, versionMax);
  const handled = (1n << (rightCounts[known - 1] ?? 0n)) - 1n;
  const fencesSignals = known >= 6;
  const attributes = [handled, ...(fencesSignals ? [0n, scopeSignal] : [])];
  const byName = { list: readDir, read: execute | readFile | readDir, all: handled };
  return {
    handled,
    fencesSignals,
    toRights: ({ rights }) => byName[rights],
    toFileRights: (rights) =>
      rights & (execute | writeFile | readFile | truncate | ioctlDevice) & handled,
    attributes: new BigUint64Array(attributes),
  };
}
