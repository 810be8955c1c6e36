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
  /** `isWide` says whether there is room for several columns. */
  children: (code: T, isWide: boolean) => ReactNode;
};

/** The part at the right, about what is selected. Its edge is pulled, and the browser remembers its width. */
export function InspectorSide<T>(props: Props<T>) {
  const { title, onLeave, onClose, onResized, load, actions, children } = props;
  const { code, hasFailed, retry } = useCode(load);
  const side = useRef<HTMLElement>(null);
  const { width, px, pull, toggle } = useInspectorWidth();
  const hasRoom = useHasRoom(side, onResized);
  const isWide = width.isWide && hasRoom;
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
function useHasRoom(side: RefObject<HTMLElement | null>, onResized = () => {}): boolean {
  const [hasRoom, setHasRoom] = useState(
    () => window.innerWidth >= widePxMin && window.innerWidth > 640,
  );
  const resized = useRef(onResized);
  useEffect(() => {
    resized.current = onResized;
  });
  useEffect(() => {
    if (side.current === null) return;
    let isFirst = true;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.borderBoxSize[0]?.inlineSize ?? 0;
      setHasRoom(width >= widePxMin);
      // The window may have less room than was pulled. A state would draw the fields with every step.
      const edge = side.current?.querySelector("[role=separator]");
      edge?.setAttribute("aria-valuenow", String(Math.round(width)));
      edge?.setAttribute("aria-valuetext", `${Math.round(width)} pixels`);
      if (!isFirst) resized.current();
      isFirst = false;
    });
    observer.observe(side.current);
    return () => observer.disconnect();
  }, [side]);
  return hasRoom;
}
