import type { Operation } from "../../connectors/connector-port.ts";
import { toOperationSchema } from "../../connectors/operation-schema.ts";
import { findSharedInputs } from "./shared-inputs.ts";
import { type Signature, toSignature } from "./signature.ts";
import { toSummary } from "./summary.ts";

/** Short texts of operations. Each is made when it is first asked for, and kept as long as its operation. */
export type OperationTexts = {
  /** `siblings` are all operations of its row. */
  signature(operation: Operation, siblings: Siblings): Signature;
  summary(operation: Operation): string;
};

type Siblings = ReadonlyMap<string, Operation>;

export function createOperationTexts(): OperationTexts {
  return { signature: keep(makeSignature), summary: keep(toSummary) };
}

function keep<Text, Others extends unknown[]>(
  make: (operation: Operation, ...others: Others) => Text,
): (operation: Operation, ...others: Others) => Text {
  const made = new WeakMap<Operation, { text: Text }>();
  return (operation, ...others) => {
    const kept = made.get(operation) ?? { text: make(operation, ...others) };
    made.set(operation, kept);
    return kept.text;
  };
}

function makeSignature(operation: Operation, siblings: Siblings): Signature {
  const { text, isExact } = toSignature(toOperationSchema(operation), findSharedInputs(siblings));
  return { text, isExact: isExact && !hasConditions(operation) };
}

/** Whether an input is needed or used only with certain values of another one. Rows bring no such inputs. */
function hasConditions(operation: Operation): boolean {
  if (operation.fromRow !== undefined) return false;
  return operation.inputFields.some((field) => field.visibleWhen !== undefined);
}
