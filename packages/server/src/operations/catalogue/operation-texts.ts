import type { Operation } from "../../connectors/connector-port.ts";
import { toOperationSchema } from "../../connectors/operation-schema.ts";
import { findSharedInputs } from "./shared-inputs.ts";
import { type Signature, toSignature } from "./signature.ts";
import { toSummary } from "./summary.ts";

/** Short texts of operations. Each is made when it is first asked for, and kept as long as its operation or its row's. */
export type OperationTexts = {
  /** `siblings` are all operations of its row. */
  signature(operation: Operation, siblings: Siblings): Signature;
  summary(operation: Operation): string;
};

type Siblings = ReadonlyMap<string, Operation>;

export function createOperationTexts(): OperationTexts {
  const findShared = keep(findSharedInputs);
  return {
    signature: keep((operation: Operation, siblings: Siblings) =>
      makeSignature(operation, findShared(siblings)),
    ),
    summary: keep(toSummary),
  };
}

function keep<Of extends object, Others extends unknown[], Made>(
  make: (of: Of, ...others: Others) => Made,
): (of: Of, ...others: Others) => Made {
  const kept = new WeakMap<Of, { made: Made }>();
  return (of, ...others) => {
    const known = kept.get(of);
    if (known !== undefined) return known.made;
    const made = make(of, ...others);
    kept.set(of, { made });
    return made;
  };
}

function makeSignature(operation: Operation, shared: ReadonlySet<string>): Signature {
  const { text, isExact } = toSignature(toOperationSchema(operation), shared);
  return { text, isExact: isExact && !hasConditions(operation) };
}

/** Whether an input is needed or used only with certain values of another one. Rows bring no such inputs. */
function hasConditions(operation: Operation): boolean {
  if (operation.fromRow !== undefined) return false;
  return operation.inputFields.some((field) => field.visibleWhen !== undefined);
}
