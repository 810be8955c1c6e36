import { Button } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ReviewHead } from "./review-head.tsx";
import type { ReviewLine } from "./review-line.ts";
import { ReviewRow } from "./review-row.tsx";
import styles from "./review-table.module.css";
import { useReviewKeys } from "./use-review-keys.ts";

type ReviewTableProps = {
  label: string;
  lines: readonly ReviewLine[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  /** Approves one, or those that are chosen. Without it, the choice is what counts. */
  onApprove?: (keys: readonly string[]) => void;
  isBusy?: boolean;
  /** What a line shows when it is unfolded. */
  detail?: (key: string) => ReactNode;
  onMore?: (() => void) | undefined;
};

const lineHeightPx = 28;

/**
 * Thousands of operations, one a line: only those in view are in the document. Keys: j and k move, space
 * chooses, a approves, Enter unfolds. Shift chooses a range.
 */
export function ReviewTable(props: ReviewTableProps) {
  const { label, lines, chosen, onChoose, onApprove, isBusy = false, detail, onMore } = props;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    const rect = body.current?.getBoundingClientRect();
    setTop((rect?.top ?? 0) + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => lineHeightPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => lines[index]?.key ?? index,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onMore !== undefined && lastShown >= lines.length - 20) onMore();
  }, [onMore, lastShown, lines.length]);
  const unfold = (key: string) => {
    const next = new Set(unfolded);
    if (!next.delete(key)) next.add(key);
    setUnfolded(next);
  };
  const keys = useReviewKeys({
    body,
    lines,
    chosen,
    onChoose,
    onApprove: isBusy ? undefined : onApprove,
    onUnfold: detail === undefined ? undefined : unfold,
    scrollTo: (index) => virtual.scrollToIndex(index),
  });
  return (
    <>
      <div
        className={styles.table}
        role="table"
        aria-label={label}
        aria-rowcount={onMore === undefined ? lines.length + 1 : -1}
        data-warned={lines.some(({ warnings }) => warnings.length > 0) || undefined}
        data-approves={onApprove !== undefined || undefined}
      >
        <ReviewHead
          lines={lines}
          chosen={chosen}
          onChoose={onChoose}
          hasApprove={onApprove !== undefined}
        />
        <div
          ref={body}
          className={styles.body}
          role="rowgroup"
          tabIndex={-1}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={keys.onKeyDown}
        >
          {items.map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            return (
              <ReviewRow
                key={item.key}
                ref={virtual.measureElement}
                line={line}
                index={item.index}
                startPx={item.start - virtual.options.scrollMargin}
                isChosen={chosen.has(line.key)}
                isCurrent={keys.current === item.index}
                onToggle={(isRange) => keys.toggle(item.index, isRange)}
                {...(onApprove && { onApprove: () => !isBusy && onApprove([line.key]) })}
                isBusy={isBusy}
                {...(detail && {
                  detail: unfolded.has(line.key) ? detail(line.key) : null,
                  onUnfold: () => unfold(line.key),
                })}
              />
            );
          })}
        </div>
      </div>
      {onMore !== undefined && (
        <Button mt="xs" size="xs" variant="default" onClick={onMore}>
          Show more
        </Button>
      )}
    </>
  );
}
