import { type CSSProperties, useMemo } from "react";
import { type Body, type Position, readBody } from "../pages/canvas/graph/body.ts";
import { usePositions } from "../pages/canvas/use-positions.ts";
import { DrawnGraph, type PictureLooks } from "./picture/drawn-graph.tsx";
import styles from "./picture/picture.module.css";
import { useBox } from "./picture/use-box.ts";

type Props = {
  /** The body of a workflow. A draft may have errors. */
  body: unknown;
  /** Names the picture for screen readers, which also read its steps. */
  label: string;
  /** The id of the workflow: each step is then a link to it on the canvas. */
  workflow?: string;
  /** How a run went, or what else is shown of each step. */
  looks?: PictureLooks;
  /** The names of rows by their ids. Steps that call one have its letters. */
  rowNames?: ReadonlyMap<string, string>;
  /** Icons and lines only, for cards. */
  isSmall?: boolean;
  /** Where items are that the body does not place. Without it, a worker places them. */
  layout?: Readonly<Record<string, Position>>;
};

/** A still picture of a workflow, by its layout. Its box has the same height for each graph, so that nothing moves. */
export function GraphPicture({ body, layout, ...props }: Props) {
  const { isSmall = false, label } = props;
  const read = useMemo(() => {
    const found = readBody(body);
    if (found === null || layout === undefined) return found;
    return { ...found, layout: { ...layout, ...found.layout } };
  }, [body, layout]);
  const isEmpty = read !== null && read.triggers.length + read.nodes.length === 0;
  if (read === null || isEmpty) {
    return (
      <div className={styles.box} data-small={isSmall || undefined} role="img" aria-label={label}>
        <span className={styles.none}>
          {isEmpty ? "It has no steps yet." : "It cannot be drawn."}
        </span>
      </div>
    );
  }
  return <Placed {...props} body={read} />;
}

function Placed({ body, ...props }: Omit<Props, "body" | "layout"> & { body: Body }) {
  const positions = usePositions(body);
  const { ref, size } = useBox();
  const isReady = positions !== null && size !== null;
  return (
    <div
      ref={ref}
      className={styles.box}
      data-small={props.isSmall || undefined}
      aria-busy={!isReady || undefined}
    >
      {isReady && <DrawnGraph {...props} body={body} positions={positions} box={size} />}
    </div>
  );
}

/** The box of a picture that is still to come. */
export function PictureSkeleton() {
  const style: CSSProperties = { opacity: 0.6 };
  return <div className={styles.box} style={style} role="status" aria-label="Loading" />;
}
