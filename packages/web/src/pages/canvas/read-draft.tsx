import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Badge } from "../../ui/badges/badge.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import styles from "./editor/editor.module.css";
import { readShortcut } from "./editor/keys/shortcuts.ts";
import { Outline } from "./editor/outline.tsx";
import { type Body, findItem, isTrigger } from "./graph/body.ts";
import { toTitle } from "./graph/describe-item.ts";
import { findNeighbour, sortItems } from "./graph/walk-graph.ts";
import { usePositions } from "./use-positions.ts";
import type { CanvasHandle } from "./view/canvas-props.ts";
import { CanvasSkeleton } from "./view/canvas-skeleton.tsx";
import { CanvasView } from "./view/canvas-view.tsx";
import { focusWhenShown } from "./view/focus-item.ts";

type Props = { workflow: WorkflowDetail; body: Body };

const plain = { state: null, note: null, problem: null };
const toLook = () => plain;

/** The draft for the user to whom the workflow is offered, who reads it before accepting it. */
export function ReadDraft({ workflow, body }: Props) {
  const positions = usePositions(body);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const flow = useRef<CanvasHandle>(null);
  const page = useRef<HTMLDivElement>(null);
  const [id] = selected;
  const item = id === undefined ? null : findItem(body, id);
  const goTo = (to: string) => {
    setSelected(new Set([to]));
    void focusWhenShown(page.current, to).then(() => flow.current?.show(to));
  };
  return (
    <div className={styles.page} data-canvas ref={page}>
      <title>{`${workflow.name} · Hub`}</title>
      <header className={styles.bar}>
        <div className={styles.titles}>
          <h1 className={styles.title}>
            <Link to="/workflows/$workflow" params={{ workflow: workflow.id }}>
              {workflow.name}
            </Link>
          </h1>
          <Badge>Draft, to read before you accept it</Badge>
        </div>
      </header>
      <div className={styles.work}>
        <div className={styles.middle}>
          {positions === null ? (
            <CanvasSkeleton />
          ) : (
            <CanvasView
              label="Workflow graph"
              body={body}
              positions={positions}
              selected={selected}
              toLook={toLook}
              onSelect={setSelected}
              onKeyDown={(event) => {
                const shortcut = readShortcut(event);
                const from = id ?? sortItems(body)[0];
                if (shortcut?.kind !== "walk" || from === undefined) return;
                event.preventDefault();
                goTo(findNeighbour(body, from, shortcut.to, positions) ?? from);
              }}
              onReady={(handle) => {
                flow.current = handle;
              }}
            />
          )}
        </div>
        <aside className={`${styles.side} ${styles.inspector}`} aria-label="Details">
          <div className={styles.sideHead}>
            <h2>{item === null ? "Outline" : toTitle(item, isTrigger(body, item.id))}</h2>
          </div>
          <div className={styles.scroll}>
            {item === null ? (
              <Outline body={body} selected={selected} onGo={goTo} />
            ) : (
              <JsonTree key={item.id} value={item} label="Fields" />
            )}
          </div>
        </aside>
      </div>
    </div>
  );
}
