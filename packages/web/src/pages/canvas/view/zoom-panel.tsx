import { Panel, useReactFlow } from "@xyflow/react";
import { useCallback, useSyncExternalStore } from "react";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { formatShare } from "../../../ui/text/format.ts";
import { type CanvasMotion, subscribeToRest } from "./canvas-motion.ts";
import { fitOptions } from "./choose-start.ts";
import styles from "./zoom-panel.module.css";

type Props = { motion: CanvasMotion; onTidy: (() => void) | undefined };

/** How large the graph is drawn, with buttons that change it. */
export function ZoomPanel({ motion, onTidy }: Props) {
  const flow = useReactFlow();
  const subscribe = useCallback(
    (listener: () => void) => subscribeToRest(motion, listener),
    [motion],
  );
  const zoom = useSyncExternalStore(subscribe, () => Math.round(motion.viewport.zoom * 100));
  return (
    <Panel position="bottom-left" className={styles.zoom}>
      <IconButton icon="minus" label="Zoom out" onClick={() => void flow.zoomOut()} />
      <span className={styles.percent}>{formatShare(zoom / 100)}</span>
      <IconButton icon="plus" label="Zoom in" onClick={() => void flow.zoomIn()} />
      <IconButton
        icon="fit"
        label="Fit to the window"
        onClick={() => void flow.fitView(fitOptions)}
      />
      {onTidy !== undefined && <IconButton icon="tidy" label="Tidy up" onClick={onTidy} />}
    </Panel>
  );
}
