import { type ReactFlowState, useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import { type CanvasMotion, subscribeToRest } from "./canvas-motion.ts";
import styles from "./mini-map.module.css";

const widthPx = 144;
const heightPx = 96;
const marginPx = 40;
/** In less width, as beside a wide inspector, it would be below the buttons of the zoom. */
const graphPxMin = 400;

/** The whole graph, small, with the part that is visible. It is drawn without React. */
export function MiniMap({ motion }: { motion: CanvasMotion }) {
  const map = useRef<SVGSVGElement>(null);
  const store = useStoreApi();
  const flow = useReactFlow();
  useEffect(() => {
    let frame = 0;
    const drawNow = () => {
      frame = 0;
      if (map.current !== null) draw(map.current, store.getState(), motion.viewport);
    };
    const later = () => {
      frame ||= requestAnimationFrame(drawNow);
    };
    later();
    const ends = [store.subscribe(later), subscribeToRest(motion, later)];
    return () => {
      for (const end of ends) end();
      cancelAnimationFrame(frame);
    };
  }, [store, motion]);
  const goTo = ({ clientX, clientY, buttons }: PointerEvent<SVGSVGElement>) => {
    const toGraph = map.current?.getScreenCTM()?.inverse();
    if (toGraph === undefined || buttons !== 1) return;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(toGraph);
    void flow.setCenter(x, y, { zoom: flow.getZoom() });
  };
  return (
    <svg
      ref={map}
      className={styles.map}
      width={widthPx}
      height={heightPx}
      aria-hidden="true"
      data-map
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={goTo}
      onWheel={({ deltaY }) => void flow.zoomTo(flow.getZoom() * 2 ** (-deltaY / 500))}
    >
      <path />
      <rect rx="2" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function draw(
  map: SVGSVGElement,
  { nodes, width, height }: ReactFlowState,
  { x, y, zoom }: Viewport,
): void {
  map.toggleAttribute("data-narrow", width < graphPxMin);
  const [path, view] = map.children;
  const seen = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  const boxes = nodes.map(({ position, width = 0, height = 0 }) => ({
    ...position,
    width,
    height,
  }));
  const all = [seen, ...boxes];
  const left = Math.min(...all.map((box) => box.x)) - marginPx;
  const top = Math.min(...all.map((box) => box.y)) - marginPx;
  const right = Math.max(...all.map((box) => box.x + box.width)) + marginPx;
  const bottom = Math.max(...all.map((box) => box.y + box.height)) + marginPx;
  set(map, { viewBox: [left, top, right - left, bottom - top].map(Math.round).join(" ") });
  const toPath = (box: (typeof boxes)[number]) =>
    `M${Math.round(box.x)} ${Math.round(box.y)}h${box.width}v${box.height}h${-box.width}z`;
  set(path, { d: boxes.map(toPath).join("") });
  set(view, seen);
}

/** Only what has changed is written, because each write paints the map again. */
function set(
  element: Element | undefined,
  values: Readonly<Record<string, string | number>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (element?.getAttribute(name) !== String(value)) element?.setAttribute(name, String(value));
  }
}
