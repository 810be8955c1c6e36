import {
  changeArguments,
  changeWiring,
  dropAwait,
  dropCall,
  dropMathBound,
  dropWrapping,
} from "./rules/calls.ts";
import {
  changeLimit,
  dropGuard,
  dropSide,
  negateCondition,
  shiftBound,
} from "./rules/conditions.ts";
import type { Change, Node, Rule } from "./rules/rule.ts";
import {
  changeConstant,
  changeReturned,
  dropElement,
  dropNarrowing,
  dropTextPart,
  dropUnit,
  turnSign,
} from "./rules/values.ts";

/** Lists the possible faults at one node. */
export function listChanges(node: Node, parents: readonly Node[], text: string): Change[] {
  return rules.flatMap((rule) => rule(node, parents, text));
}

const rules: Rule[] = [
  negateCondition,
  dropGuard,
  dropSide,
  shiftBound,
  changeLimit,
  dropCall,
  dropAwait,
  changeArguments,
  changeWiring,
  dropWrapping,
  dropMathBound,
  changeConstant,
  changeReturned,
  dropNarrowing,
  dropElement,
  dropUnit,
  dropTextPart,
  turnSign,
];
