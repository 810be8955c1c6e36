import { bounded } from "./bounded.ts";
import type { Call } from "./call.ts";
import { forAdmins } from "./for-admins.ts";
import type { Gate } from "./gate.ts";
import { installed } from "./installed.ts";
import { hubPath } from "./not-looping.ts";
import { notNested } from "./not-nested.ts";
import { offered } from "./offered.ts";
import { operationEnabled } from "./operation-enabled.ts";
import { owned } from "./owned.ts";
import { reading } from "./reading.ts";
import { reviewed } from "./reviewed.ts";
import { rowEnabled } from "./row-enabled.ts";
import { setup } from "./setup.ts";
import { testable } from "./testable.ts";
import { visible } from "./visible.ts";

/**
 * Every condition on calls, in the order in which they are asked. Whether the row is present comes
 * before all of them. Lists leave out what a gate of `visibility` or `access` does not pass, so a new gate
 * holds for calls and lists.
 */
export const gates = {
  /** Before them, nothing of the target is recorded or told. */
  visibility: [visible, bounded, installed, offered, forAdmins, testable],
  /** After the target is recorded. */
  access: [owned, rowEnabled, reviewed, operationEnabled, notNested, reading, hubPath],
  /** Within the limits of the row, before tokens are opened. */
  start: [setup],
} satisfies { visibility: readonly Gate[]; access: readonly Gate[]; start: readonly Gate<Call>[] };

/** The switches of an operation, whatever the state of its row. */
export const operationSwitches: readonly Gate[] = [reviewed, operationEnabled];

/** What does not pass them is listed, because its callers and admins must learn of the fault. */
export const shownInLists: ReadonlySet<Gate> = new Set<Gate>([owned, hubPath]);

/**
 * Gates that depend only on the directory, the registry and the caller's role. Catalogues keep what
 * they say until one of these changes. The other gates are asked for each list, about the row alone.
 */
export const keptInCatalogues: ReadonlySet<Gate> = new Set<Gate>([
  installed,
  offered,
  forAdmins,
  rowEnabled,
  reviewed,
  operationEnabled,
  reading,
  notNested,
]);
