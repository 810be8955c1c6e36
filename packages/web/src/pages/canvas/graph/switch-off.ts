import type { Body, Item } from "./body.ts";
import { setFields } from "./commands.ts";

/** Their cases would lead nowhere. */
const withCases = new Set(["branch", "switch", "approval"]);

const isSwitchable = ({ type }: Item) => !withCases.has(type);

/**
 * Switches nodes off, or on if all of them are off. Triggers, and nodes with cases, stay as they are. The body is the
 * same one if nothing changes.
 */
export function toggleDisabled(body: Body, ids: ReadonlySet<string>): Body {
  const nodes = body.nodes.filter((node) => ids.has(node.id) && isSwitchable(node));
  const disabled = nodes.some((node) => node.disabled !== true) ? true : undefined;
  return nodes.reduce((done, { id }) => setFields(done, id, { disabled }), body);
}
