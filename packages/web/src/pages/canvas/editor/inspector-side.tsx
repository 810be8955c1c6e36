import { Button } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useCode } from "../../../ui/json/use-code.ts";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { InspectorEdge } from "./inspector-edge.tsx";
import styles from "./inspector-side.module.css";
import { useInspectorWidth, widePxMin } from "./use-inspector-width.ts";

type Props<T> = {
  title: string;
  /** Goes back to the graph: Escape. */
  onLeave: () => void;
  onClose: () => void;
  /** The part takes another part of the window. */
  onResized?: () => void;
  /** Loads the code of the content, which the graph alone does not need. */
  load: () => Promise<T>;
  actions?: ReactNode;
  /** `isWide` says whether there is space for several columns. */
  children: (code: T, isWide: boolean) => ReactNode;
};

/** The part at the right, about what is selected. Its edge is pulled, and the browser remembers its width. */
export function InspectorSide<T>(props: Props<T>) {
  const { title, onLeave, onClose, onResized, load, actions, children } = props;
  const { code, hasFailed, retry } = useCode(load);
  const side = useRef<HTMLElement>(null);
  const { width, px, pull, toggle } = useInspectorWidth();
  const fitsColumns = useFitsColumns(side, onResized);
  const isWide = width.isWide && fitsColumns;
  useEffect(() => {
    side.current?.style.setProperty("--inspector-width", `${px}px`);
  }, [px]);
  return (
    <aside
      ref={side}
      className={styles.side}
      aria-label={`Inspector: ${title}`}
      data-inspector
      data-wide={width.isWide || undefined}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <InspectorEdge side={side} px={px} onPull={pull} onToggle={toggle} />
      <div className={styles.head}>
        <h2>{title}</h2>
        <span className={styles.actions}>
          {actions}
          <IconButton
            icon={width.isWide ? "right" : "left"}
            label={width.isWide ? "Make the inspector narrow" : "Make the inspector wide"}
            onClick={toggle}
          />
          <IconButton icon="close" label="Close the inspector" onClick={onClose} />
        </span>
      </div>
      <div className={styles.content} data-columns={isWide || undefined}>
        {code !== null && children(code, isWide)}
        {code === null && !hasFailed && <PageSkeleton lines={4} />}
        {hasFailed && (
          <p role="alert">
            {"The inspector could not be loaded. "}
            <Button size="compact-sm" variant="default" onClick={retry}>
              Try again
            </Button>
          </p>
        )}
      </div>
    </aside>
  );
}

/** Whether the part is as wide as several columns need. Follows its size. */
function useFitsColumns(side: RefObject<HTMLElement | null>, onResized = () => {}): boolean {
  const [fitsColumns, setFitsColumns] = useState(
    () => window.innerWidth >= widePxMin && window.innerWidth > 640,
  );
  const resized = useRef(onResized);
  useEffect(() => {
    resized.current = onResized;
  });
  useEffect(() => {
    if (side.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.borderBoxSize[0]?.inlineSize ?? 0;
      setFitsColumns(width >= widePxMin);
      // The window may have less space than was pulled. A state would draw the fields with every step.
      const edge = side.current?.querySelector("[role=separator]");
      edge?.setAttribute("aria-valuenow", String(Math.round(width)));
      edge?.setAttribute("aria-valuetext", `${Math.round(width)} pixels`);
      // Also when it is drawn first: it may cover what is selected.
      resized.current();
    });
    observer.observe(side.current);
    return () => observer.disconnect();
  }, [side]);
  return fitsColumns;
}
