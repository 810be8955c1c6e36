import {
  type BinaryOperationNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  OperatorNode,
  PrimitiveValueListNode,
} from "kysely";

/**
 * Repeats the last value of an `in` list up to the next power of two. The client keeps each statement
 * prepared on each connection, so lists of a thousand lengths would be a thousand statements.
 */
export function createListPadding(): KyselyPlugin {
  const transformer = new ListPadder();
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

class ListPadder extends OperationNodeTransformer {
  protected override transformBinaryOperation(
    ...args: Parameters<OperationNodeTransformer["transformBinaryOperation"]>
  ): BinaryOperationNode {
    const node = super.transformBinaryOperation(...args);
    const { operator, rightOperand: list } = node;
    const isIn =
      OperatorNode.is(operator) && (operator.operator === "in" || operator.operator === "not in");
    if (!isIn || !PrimitiveValueListNode.is(list)) return node;
    return { ...node, rightOperand: PrimitiveValueListNode.create(pad(list.values)) };
  }
}

function pad(values: readonly unknown[]): unknown[] {
  if (values.length === 0) return [];
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array(length - values.length).fill(values.at(-1))];
}
