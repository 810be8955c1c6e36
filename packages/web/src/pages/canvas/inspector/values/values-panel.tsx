import { Button } from "@mantine/core";
import { useCallback, useId, useMemo, useState, useSyncExternalStore } from "react";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { formatExact } from "../../../../ui/text/format.ts";
import { useItemRows } from "../../view/use-item-rows.ts";
import { useInspector } from "../inspector-context.ts";
import { useLastRun } from "../use-last-run.ts";
import { listRoots } from "./list-roots.ts";
import { ShapeReaders } from "./shape-readers.tsx";
import { toRowId } from "./value-rows.ts";
import { ValueTree } from "./value-tree.tsx";
import styles from "./values.module.css";

/** What the fields can read, with the values of the last run. A chosen value goes into a field. */
export function ValuesPanel({ onInserted }: { onInserted?: () => void }) {
  const scope = useInspector();
  const { body, item, samples, last, targets, onRun } = scope;
  useLastRun(scope.workflow, scope.shown, true);
  const id = useId();
  const [shapes, setShapes] = useState<ReadonlyMap<string, unknown>>(new Map());
  const [message, setMessage] = useState("");
  const target = useSyncExternalStore(targets.subscribe, targets.describe);
  const rows = useItemRows(body);
  const roots = useMemo(
    () => listRoots({ body, item, samples, hasRun: last !== null, shapes, rows }),
    [body, item, samples, last, shapes, rows],
  );
  const startsOpen = useMemo(() => listOpenAtFirst(body.edges, item.id), [body.edges, item.id]);
  const [opened, setOpened] = useState<readonly string[]>(startsOpen);
  const onShape = useCallback((node: string, shape: unknown) => {
    setShapes((before) => new Map(before).set(node, shape));
  }, []);
  const unknown = roots.filter(({ path, value }) => {
    const isWanted = opened.includes(toRowId(path)) || path[0] === "Event";
    return isWanted && (value === undefined || last === null);
  });
  return (
    <div className={styles.panel} data-values>
      <h3 id={id} className={styles.title}>
        {last === null ? "Values, no run yet" : "Values of the last run"}
      </h3>
      {last === null ? (
        <p className={styles.note}>
          {"There are only names and types until the workflow has run. "}
          {body.triggers.some(({ type }) => type === "webhook") &&
            "Send a request to the test address of the webhook, or "}
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<Icon name="play" />}
            onClick={onRun}
          >
            Run it once
          </Button>
        </p>
      ) : (
        <p className={styles.note}>{formatExact(last.created_at)}</p>
      )}
      <ShapeReaders roots={unknown} onShape={onShape} />
      <ValueTree
        key={item.id}
        roots={roots}
        labelledBy={id}
        startsOpen={startsOpen}
        verb="Insert"
        canDrag
        onOpen={(one) => setOpened([...opened, one])}
        onChoose={(path) => {
          const { isDone, message: said } = targets.insert(path);
          setMessage(said);
          if (isDone) onInserted?.();
        }}
      />
      <p className={styles.note} role="status">
        {message || (target === null ? "Click into a field, then on a value." : `For: ${target}`)}
      </p>
    </div>
  );
}

/** The event, and the nodes that lead to the item. */
function listOpenAtFirst(
  edges: ReadonlyArray<{ from: string; to: string }>,
  id: string,
): readonly string[] {
  const before = edges.filter(({ to }) => to === id).map(({ from }) => ["Node", from]);
  return [["Event"], ["Event", "Payload"], ...before].map(toRowId);
}
