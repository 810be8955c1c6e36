import { Panel } from "@xyflow/react";
import type { CanvasMotion } from "./canvas-motion.ts";
import { MiniMap } from "./mini-map.tsx";
import { ZoomPanel } from "./zoom-panel.tsx";

type Props = { motion: CanvasMotion; hasMap: boolean; onTidy: (() => void) | undefined };

/** The map of the graph, and the buttons that change its size. Loaded when the graph is there. */
export function CanvasControls({ motion, hasMap, onTidy }: Props) {
  return (
    <>
      {hasMap && (
        <Panel position="bottom-right">
          <MiniMap motion={motion} />
        </Panel>
      )}
      <ZoomPanel motion={motion} onTidy={onTidy} />
    </>
  );
}
