import { useEffect, useRef } from "react";
import { gridPx } from "../graph/grid.ts";
import styles from "./canvas.module.css";
import type { CanvasMotion } from "./canvas-motion.ts";

const gapPx = gridPx[0];
const gapPxMin = 14;

/**
 * The ground of the graph, with dots if it is edited. Fewer of them are drawn when the graph is small. On it, the
 * connections of dragged items are drawn while the drag lasts.
 */
export function Ground({ motion }: { motion: CanvasMotion }) {
  const dots = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const move = () => {
      const { x, y, zoom } = motion.viewport;
      if (dots.current === null) return;
      const steps = Math.max(0, Math.ceil(Math.log2(gapPxMin / (gapPx * zoom))));
      const scale = zoom * 2 ** steps;
      const gap = gapPx * scale;
      const [left, top] = [x, y].map((value) => ((value - gap / 2) % gap) - gap);
      dots.current.style.transform = `translate(${left}px,${top}px) scale(${scale})`;
    };
    move();
    return motion.subscribe(move);
  }, [motion]);
  return (
    <div className={styles.ground} aria-hidden="true">
      <div ref={dots} data-layer className={styles.dots} />
      <canvas className={styles.sketch} hidden />
    </div>
  );
}
