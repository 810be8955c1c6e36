import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import styles from "./canvas.module.css";

const gridPx = 16;
const gapPxMin = 14;
const farZoom = 0.35;

/**
 * The ground of the graph, with dots if it is edited. Fewer of them are drawn when the graph is small, and less of
 * the items.
 */
export function Ground() {
  const ground = useRef<HTMLDivElement>(null);
  const store = useStoreApi();
  useEffect(() => {
    const move = () => {
      const [x, y, zoom] = store.getState().transform;
      const style = ground.current?.style;
      if (style === undefined) return;
      const steps = Math.max(0, Math.ceil(Math.log2(gapPxMin / (gridPx * zoom))));
      const gap = gridPx * zoom * 2 ** steps;
      style.backgroundSize = `${gap}px ${gap}px`;
      style.backgroundPosition = `${x - gap / 2}px ${y - gap / 2}px`;
      ground.current?.parentElement?.toggleAttribute("data-far", zoom < farZoom);
    };
    move();
    return store.subscribe(move);
  }, [store]);
  return <div ref={ground} className={styles.dots} aria-hidden="true" />;
}
