import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { copyText } from "../../../../ui/controls/copy-button.tsx";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { StepBadge } from "../../../workflows/runs/step-badge.tsx";
import { restoreCut } from "../../expressions/list-samples.ts";
import { type ValuePath, writeExpression } from "../../expressions/write-expression.ts";
import run from "../../run/run.module.css";
import { useInspector } from "../inspector-context.ts";
import { toRowId, type ValueRoot } from "./value-rows.ts";
import { ValueTree } from "./value-tree.tsx";
import styles from "./values.module.css";

/** What the item gave in the last run: its state, error, warnings and output, whose paths can be copied. */
export function NodeOutput() {
  const { last, item, isTrigger, workflow } = useInspector();
  const id = useId();
  const own = (last?.steps ?? []).filter(({ node_id }) => node_id === item.id);
  const step = own.find((one) => one.item === null) ?? own[0];
  const hasValue = isTrigger ? last?.trigger_id === item.id : step !== undefined;
  return (
    <div className={styles.output}>
      <h3 id={id} className={styles.title}>
        {isTrigger ? "Event of the last run" : "Output in the last run"}
      </h3>
      {last === null && <p className={styles.note}>No run yet.</p>}
      {last !== null && !hasValue && (
        <p className={styles.note}>The last run did not reach this step.</p>
      )}
      {step !== undefined && (
        <p className={styles.note}>
          <StepBadge state={step.state} />
        </p>
      )}
      {step?.error != null && (
        <div className={run.error}>
          <Icon name="warning" />
          <span>
            {step.error.message} <code>{step.error.code}</code>
          </span>
        </div>
      )}
      {(step?.warnings ?? []).map((warning) => (
        <p key={warning} className={run.warning}>
          {warning}
        </p>
      ))}
      {last !== null && hasValue && (
        <Copied
          labelledBy={id}
          root={
            isTrigger
              ? toRoot(["Event"], "Event", restoreCut(last.event))
              : toRoot(["Node", item.id], "Output", restoreCut(step?.output))
          }
        />
      )}
      {last !== null && (
        <p className={styles.note}>
          <Link
            to="/workflows/$workflow/runs/$run"
            params={{ workflow, run: last.id }}
            search={{ node: item.id }}
          >
            Open this run
          </Link>
        </p>
      )}
    </div>
  );
}

const toRoot = (path: ValuePath, name: string, value: unknown): ValueRoot => ({
  path,
  name,
  detail: `{{${writeExpression(path).text}}}`,
  icon: "runs",
  value: value ?? null,
  isGroup: false,
  note: null,
});

function Copied({ root, labelledBy }: { root: ValueRoot; labelledBy: string }) {
  const [copied, setCopied] = useState("");
  return (
    <>
      <ValueTree
        key={toRowId(root.path)}
        roots={[root]}
        labelledBy={labelledBy}
        startsOpen={[toRowId(root.path), toRowId([...root.path, "Payload"])]}
        verb="Copy path"
        onChoose={(path) => {
          const text = `{{${writeExpression(path).text}}}`;
          void copyText(text).then(() => setCopied(text));
        }}
      />
      <p className={styles.note} role="status">
        {copied === "" ? "Click on a value to copy its path." : `Copied ${copied}`}
      </p>
    </>
  );
}
