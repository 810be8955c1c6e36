import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { readShortcut } from "../editor/keys/shortcuts.ts";
import { type Body, type Edge, findItem, isTrigger, readBody } from "../graph/body.ts";
import { isCommentKey } from "../graph/comments.ts";
import { toTitle } from "../graph/describe-item.ts";
import type { Change } from "../graph/flow.ts";
import { mergeBodies } from "../graph/merge-bodies.ts";
import { findNeighbour, sortItems } from "../graph/walk-graph.ts";
import { usePositions } from "../use-positions.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { CanvasView } from "../view/canvas-view.tsx";
import { ChangeBadge, changeNames } from "../view/change-badge.tsx";
import { focusWhenShown } from "../view/focus-item.ts";
import styles from "./difference.module.css";

type Props = { older: unknown; newer: unknown; difference: WorkflowDifference };

/** What differs between two bodies, on one graph that is only read. */
export function DifferenceGraph({ older, newer, difference }: Props) {
  const bodies = useMemo(() => {
    const before = readBody(older);
    const after = readBody(newer);
    return before === null || after === null ? null : mergeBodies(before, after, difference);
  }, [older, newer, difference]);
  if (bodies === null) return <p>One of them cannot be drawn. The text says what differs.</p>;
  return <Graph {...bodies} difference={difference} />;
}

type GraphProps = ReturnType<typeof mergeBodies> & { difference: WorkflowDifference };

function Graph({ body, changes, findLinkChange, difference }: GraphProps) {
  const positions = usePositions(body);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const flow = useRef<CanvasHandle>(null);
  const area = useRef<HTMLDivElement>(null);
  const toLook = useCallback(
    (id: string) => ({ state: null, note: null, problem: null, change: changes.get(id) ?? null }),
    [changes],
  );
  const toLinkLook = useCallback(
    (link: Edge) => ({ isTaken: false, change: findLinkChange(link) }),
    [findLinkChange],
  );
  // Of a connection that differs, both ends are looked at.
  const startAt = useMemo(
    () => [
      ...changes.keys(),
      ...[...difference.edges.added, ...difference.edges.removed].flatMap(({ from, to }) => [
        from,
        to,
      ]),
    ],
    [changes, difference],
  );
  const [only] = selected;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shortcut = readShortcut(event);
    const from = only ?? sortItems(body)[0];
    if (shortcut?.kind !== "walk" || from === undefined || positions === null) return;
    event.preventDefault();
    const to = only === undefined ? from : findNeighbour(body, from, shortcut.to, positions);
    if (to === null) return;
    setSelected(new Set([to]));
    void focusWhenShown(area.current, to).then(() => flow.current?.show(to));
  };
  return (
    <div>
      <div className={styles.graph} ref={area}>
        {positions === null ? (
          <PageSkeleton lines={3} />
        ) : (
          <CanvasView
            label="Picture of the difference"
            body={body}
            positions={positions}
            selected={selected}
            toLook={toLook}
            toLinkLook={toLinkLook}
            onKeyDown={onKeyDown}
            startAt={startAt}
            onSelect={setSelected}
            onReady={(handle) => {
              flow.current = handle;
            }}
          />
        )}
      </div>
      <div className={styles.legend}>
        {(["added", "changed", "removed"] as const).map((change) => (
          <span key={change} className={styles.sign}>
            <ChangeBadge change={change} />
            {countOf(change, difference)}
          </span>
        ))}
      </div>
      <p className={styles.selected} role="status">
        {only === undefined
          ? "Select a part to read what differs in it."
          : describe(only, body, changes.get(only), difference)}
      </p>
    </div>
  );
}

function countOf(change: Change, { nodes, triggers, comments, edges }: WorkflowDifference): number {
  const items = [nodes, triggers, comments].reduce((sum, one) => sum + one[change].length, 0);
  return items + (change === "changed" ? 0 : edges[change].length);
}

function describe(
  key: string,
  body: Body,
  change: Change | undefined,
  { sentences, nodes, triggers }: WorkflowDifference,
): string {
  const item = findItem(body, key);
  const title = item === null ? "The comment" : toTitle(item, isTrigger(body, key));
  if (change === undefined) return `${title}: nothing differs.`;
  const changed = [...nodes.changed, ...triggers.changed].some(({ id }) => id === key);
  if (!changed || isCommentKey(key)) return `${title}: ${changeNames[change].toLowerCase()}.`;
  const start = `The ${isTrigger(body, key) ? "trigger" : "node"} "${key}": `;
  const own = sentences.filter((sentence) => sentence.startsWith(start));
  return `${title}: ${own.map((sentence) => sentence.slice(start.length)).join(" ")}`;
}
