import { useApi } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import type { ShownRow } from "../shown-row.ts";
import { RuleDialog } from "./rule-dialog.tsx";

type Props = { row: ShownRow; operation: string; onClose: () => void };

/** The rule of an operation, which is read when the dialog opens. */
export function OperationRuleDialog({ row, operation, onClose }: Props) {
  const rules = useApi("GET /manager/api/rows/{row}/rules", { params: { row: row.id } });
  if (rules.data === undefined) {
    return (
      <Dialog title={`Ask before acting: ${operation}`} size="lg" onClose={onClose}>
        <Loaded of={rules} what="The rules" skeleton={<PageSkeleton lines={3} />}>
          {() => null}
        </Loaded>
      </Dialog>
    );
  }
  const rule = rules.data.rules.find((one) => one.operation === operation) ?? null;
  return <RuleDialog row={row} operation={operation} rule={rule} onClose={onClose} />;
}
