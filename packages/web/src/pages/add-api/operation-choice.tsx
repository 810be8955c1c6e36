import type { ConnectionPlan, PlannedOperation } from "@hub/contract/connection-plan.ts";
import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { Card } from "../../ui/page/card.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { formatCount, formatNumber } from "../../ui/text/format.ts";
import { Warnings } from "../rows/operations/review-detail.tsx";
import type { ReviewLine } from "../rows/operations/review-line.ts";
import { ReviewTable } from "../rows/operations/review-table.tsx";
import { toName } from "../rows/operations/to-review-line.ts";
import styles from "./add-api.module.css";
import { listTagCounts } from "./list-tag-counts.ts";

type Props = {
  plan: ConnectionPlan;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
};

const tagsShown = 12;

/** Which operations are approved: all that only read, all, by tag, or single ones. */
export function OperationChoice({ plan, chosen, onChoose }: Props) {
  const [q, setQ] = useState("");
  const [tag, setTag] = useState<string | null>(null);
  const [hasAllTags, setAllTags] = useState(false);
  const { operations, reads } = plan;
  const tags = useMemo(() => listTagCounts(operations), [operations]);
  const byKey = useMemo(() => new Map(operations.map((one) => [one.key, one])), [operations]);
  const shown = operations.filter((one) => fits(one, q, tag));
  const safe = shown.filter(({ warnings }) => warnings.length === 0);
  const add = (found: readonly PlannedOperation[]) =>
    onChoose(new Set([...chosen, ...found.map(({ key }) => key)]));
  const warned = operations.filter(({ warnings }) => warnings.length > 0).length;
  return (
    <Card
      title="Operations to approve"
      actions={
        <div className={styles.buttons}>
          <Button
            size="xs"
            variant="default"
            onClick={() => add(safe.filter(({ destructive }) => !destructive))}
          >
            All that only read
          </Button>
          <Button size="xs" variant="default" onClick={() => add(safe)}>
            All
          </Button>
          <Button size="xs" variant="default" onClick={() => onChoose(new Set())}>
            None
          </Button>
        </div>
      }
    >
      <p className={styles.note}>
        {`${formatCount(operations.length, "operation")}: ${formatNumber(reads)} only read, ${formatNumber(operations.length - reads)} change something. Those that you do not choose wait for a review.`}
        {warned > 0 &&
          ` ${formatCount(warned, "operation")} ${warned === 1 ? "has" : "have"} warnings: choose ${warned === 1 ? "it" : "them"} one by one.`}
        {plan.left_out_total > 0 &&
          ` ${formatCount(plan.left_out_total, "operation")} cannot be used: ${plan.left_out[0]?.reason ?? ""}`}
      </p>
      {tags.length > 1 && (
        <div className={styles.tags} role="group" aria-label="Tags of the document">
          {(hasAllTags ? tags : tags.slice(0, tagsShown)).map((one) => (
            <Button
              key={one.tag}
              size="compact-sm"
              variant={tag === one.tag ? "light" : "default"}
              aria-pressed={tag === one.tag}
              onClick={() => setTag(tag === one.tag ? null : one.tag)}
            >
              {`${one.tag}: ${describeTag(one)}`}
            </Button>
          ))}
          {!hasAllTags && tags.length > tagsShown && (
            <Button size="compact-sm" variant="subtle" onClick={() => setAllTags(true)}>
              {`${formatNumber(tags.length - tagsShown)} more tags`}
            </Button>
          )}
        </div>
      )}
      <div className={styles.filter}>
        <SearchField label="Filter the operations" value={q} onChange={setQ} />
        <span role="status">{`${formatNumber(chosen.size)} chosen`}</span>
      </div>
      {shown.length === 0 ? (
        <p className={styles.note}>
          {operations.length === 0 ? "It offers no operations." : "No operation matches."}
        </p>
      ) : (
        <ReviewTable
          label="Operations to approve"
          lines={shown.map(toLine)}
          chosen={chosen}
          onChoose={onChoose}
          detail={(key) => <Detail of={byKey.get(key)} />}
        />
      )}
    </Card>
  );
}

function describeTag({ reads, writes }: { reads: number; writes: number }): string {
  if (writes === 0) return `${formatNumber(reads)} read`;
  if (reads === 0) return `${formatNumber(writes)} change`;
  return `${formatNumber(reads)} read, ${formatNumber(writes)} change`;
}

function Detail({ of: operation }: { of: PlannedOperation | undefined }) {
  if (operation === undefined) return null;
  return (
    <>
      <Warnings of={operation.warnings} />
      <p className={styles.text} dir="auto">
        {operation.description || "It has no description."}
      </p>
      <p className={styles.note}>
        <code>{operation.key}</code>
        {operation.tags.length > 0 && ` Tags: ${operation.tags.join(", ")}.`}
      </p>
    </>
  );
}

function toLine(one: PlannedOperation): ReviewLine {
  return {
    key: one.key,
    hint: one.method ?? "Tool",
    name: one.path === null ? one.name : toName(one.name, one.path),
    description: one.description,
    isDestructive: one.destructive,
    change: "New",
    warnings: one.warnings,
    isOpen: true,
  };
}

function fits(
  { key, name, path, method, description, tags }: PlannedOperation,
  q: string,
  tag: string | null,
): boolean {
  if (tag !== null && !tags.includes(tag)) return false;
  return matchesText(q, [key, name, path, method, description]);
}
