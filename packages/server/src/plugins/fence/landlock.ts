import { findLandlockRights, type LandlockRights } from "./landlock-rights.ts";
import type { Rule } from "./list-rules.ts";
import { preventPrivileges } from "./prevent-privileges.ts";
import type { SystemCalls } from "./system-calls.ts";
import { checkCall } from "./system-calls.ts";

/** System calls, with the same numbers on all processors. */
const numbers = { createRuleset: 444, addRule: 445, restrictSelf: 446 };
const onlyVersion = 1;
const pathBeneath = 1;
/** A folder without a place in a file system, which no rule can name. */
const badDescriptor = 77;
const invalid = 22;

/** The version of Landlock in this kernel, from 1; 0 if there is none or it is forbidden. */
export function findLandlockVersion(calls: Pick<SystemCalls, "call">): number {
  return Math.max(0, calls.call(numbers.createRuleset, 0, 0, onlyVersion));
}

/**
 * Allows this thread and what it starts only what the rules allow. Throws if the system refuses it.
 */
export function restrictThread(calls: SystemCalls, version: number, rules: Iterable<Rule>): void {
  const rights = findLandlockRights(version);
  const { attributes } = rights;
  const ruleset = calls.call(numbers.createRuleset, attributes, attributes.byteLength, 0);
  checkCall("landlock_create_ruleset", ruleset);
  for (const rule of rules) addRule({ calls, ruleset, rights }, rule);
  preventPrivileges(calls);
  checkCall("landlock_restrict_self", calls.call(numbers.restrictSelf, ruleset, 0));
  calls.close(ruleset);
}

type Ruleset = { calls: SystemCalls; ruleset: number; rights: LandlockRights };

/** What cannot be opened is not allowed. */
function addRule({ calls, ruleset, rights }: Ruleset, rule: Rule): void {
  const folder = calls.openPath(rule.path);
  if (folder < 0) return;
  const add = (allowed: bigint) =>
    calls.call(numbers.addRule, ruleset, pathBeneath, toAttributes(allowed, folder), 0);
  const allowed = rights.toRights(rule);
  let result = add(allowed);
  if (result === -invalid) result = add(rights.toFileRights(allowed));
  calls.close(folder);
  if (result !== -badDescriptor) checkCall("landlock_add_rule", result);
}

/** The packed struct `landlock_path_beneath_attr`. */
function toAttributes(allowed: bigint, folder: number): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(12));
  bytes.setBigUint64(0, allowed, true);
  bytes.setInt32(8, folder, true);
  return new Uint8Array(bytes.buffer);
}
