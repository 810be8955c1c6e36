import { type CallRule, describeCallRule, type RowRules } from "@hub/contract/call-rule.ts";
import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { OperationSelect } from "../operation-select.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { RuleDialog } from "./rule-dialog.tsx";

type Open = { operation: string | null; rule: CallRule | null };

/** What is asked before calls of a row run: for the whole row, and for single operations. */
export function RulesTab({ row }: { row: ShownRow }) {
  const rules = useApi("GET /manager/api/rows/{row}/rules", { params: { row: row.id } });
  return (
    <div className={styles.column}>
      <Loaded of={rules} what="The rules" skeleton={<PageSkeleton lines={4} />}>
        {(found) => <Rules row={row} rules={found.rules} />}
      </Loaded>
    </div>
  );
}

function Rules({ row, rules }: { row: ShownRow; rules: RowRules["rules"] }) {
  const [open, setOpen] = useState<Open | null>(null);
  const whole = rules.find(({ operation }) => operation === null) ?? null;
  const ofOperations = rules.filter(({ operation }) => operation !== null);
  return (
    <>
      <Card
        title="Ask before acting"
        actions={
          <Button onClick={() => setOpen({ operation: null, rule: whole })}>
            Change for the row
          </Button>
        }
      >
        {whole === null ? (
          <p className={styles.lead}>Off: calls of this row run without a question.</p>
        ) : (
          <RuleText rule={whole} />
        )}
      </Card>
      <Card title="Operations with a rule of their own">
        <p className={styles.lead}>An operation's own rule replaces the rule of the row.</p>
        {ofOperations.length > 0 && (
          <ul className={styles.operations}>
            {ofOperations.map((rule) => (
              <li key={rule.id} className={styles.operation}>
                <div className={styles.operationHead}>
                  <code>{rule.operation}</code>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Change for ${rule.operation}`}
                    onClick={() => setOpen({ operation: rule.operation, rule })}
                  >
                    Change
                  </Button>
                </div>
                <RuleText rule={rule} />
              </li>
            ))}
          </ul>
        )}
        <OperationSelect
          row={row.id}
          chosen={null}
          any="Set a rule for an operation"
          toLabel={({ key }) => key}
          onChange={(operation) => {
            if (operation === null) return;
            const rule = ofOperations.find((one) => one.operation === operation) ?? null;
            setOpen({ operation, rule });
          }}
        />
      </Card>
      {open !== null && <RuleDialog row={row} {...open} onClose={() => setOpen(null)} />}
    </>
  );
}

function RuleText({ rule }: { rule: CallRule }) {
  return (
    <>
      <p className={styles.lead}>
        {describeCallRule(rule)} {rule.sentence}
      </p>
      {rule.warnings.map((warning) => (
        <Alert key={warning} color="yellow" mb="sm">
          {warning}
        </Alert>
      ))}
    </>
  );
}
