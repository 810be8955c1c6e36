import type { RunStatus } from "@hub/contract/run.ts";
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from "react";
import { formatNumber } from "../text/format.ts";
import { type HourBar, toBars, toScaleMax } from "./hour-bars.ts";
import styles from "./runs-chart.module.css";

/** From the bottom of a bar to its top. */
const layers: readonly RunStatus[] = ["success", "cancelled", "denied", "error"];

type Props = {
  summary: Parameters<typeof toBars>[0];
  /** Called with the span that the user drags over, or opens with Enter. */
  onSelect?: (span: { from: string; to: string }) => void;
};

/**
 * Calls over time by outcome. The pointer drags over a span to select it; arrow keys read the bars one
 * by one, and Enter selects one.
 */
export function RunsChart({ summary, onSelect }: Props) {
  const { bars, stepMs } = toBars(summary);
  const top = toScaleMax(Math.max(...bars.map(({ total }) => total)));
  const area = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [dragFrom, setDragFrom] = useState<number | null>(null);
  const tipId = useId();

  const toIndex = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (box === undefined) return 0;
    const index = Math.floor(((event.clientX - box.left) / box.width) * bars.length);
    return Math.min(Math.max(index, 0), bars.length - 1);
  };
  const select = (one: number, other: number) => {
    const from = bars[Math.min(one, other)]?.atMs ?? 0;
    const to = (bars[Math.max(one, other)]?.atMs ?? 0) + stepMs;
    onSelect?.({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  };
  const press = (event: KeyboardEvent) => {
    const last = bars.length - 1;
    const to = {
      ArrowRight: Math.min((at ?? -1) + 1, last),
      ArrowLeft: Math.max((at ?? bars.length) - 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (to !== undefined) setAt(to);
    else if (event.key === "Enter" && at !== null) select(at, at);
    else if (event.key === "Escape") setAt(null);
    else return;
    event.preventDefault();
  };

  const shown = at === null ? undefined : bars[at];
  const selected =
    dragFrom === null || at === null
      ? null
      : { left: Math.min(dragFrom, at), width: Math.abs(dragFrom - at) + 1 };
  const toPercent = (index: number) => `${(index / bars.length) * 100}%`;
  return (
    <figure className={styles.figure}>
      <Scale top={top} />
      <div
        ref={area}
        className={styles.area}
        role="slider"
        tabIndex={0}
        aria-label="Calls over time"
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={at ?? 0}
        aria-valuetext={describe(shown ?? bars[0], stepMs)}
        onKeyDown={press}
        onBlur={() => setAt(null)}
        onPointerDown={(event) => {
          if (onSelect === undefined) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragFrom(toIndex(event));
        }}
        onPointerMove={(event) => setAt(toIndex(event))}
        onPointerLeave={() => dragFrom === null && setAt(null)}
        onPointerUp={(event) => {
          if (dragFrom !== null) select(dragFrom, toIndex(event));
          setDragFrom(null);
        }}
        onPointerCancel={() => setDragFrom(null)}
      >
        <svg
          className={styles.bars}
          viewBox={`0 0 ${bars.length} 100`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {bars.map((bar, index) => (
            <Bar key={bar.atMs} bar={bar} index={index} top={top} isAt={index === at} />
          ))}
        </svg>
        {selected !== null && (
          <div
            className={styles.selected}
            style={{ left: toPercent(selected.left), width: toPercent(selected.width) }}
          />
        )}
        {shown !== undefined && at !== null && (
          <div
            className={`${styles.tip} ${at > bars.length / 2 ? styles.tipLeft : ""}`}
            id={tipId}
            style={{ left: toPercent(at + 0.5) }}
          >
            {describe(shown, stepMs)}
          </div>
        )}
      </div>
      <Times bars={bars} stepMs={stepMs} />
    </figure>
  );
}

function Scale({ top }: { top: number }) {
  return (
    <div className={styles.scale} aria-hidden="true">
      {[top, top / 2, 0].map((value) => (
        <span key={value}>{formatNumber(value)}</span>
      ))}
    </div>
  );
}

function Times({ bars, stepMs }: { bars: readonly HourBar[]; stepMs: number }) {
  return (
    <figcaption className={styles.times}>
      <span>{formatTick(bars[0]?.atMs ?? 0)}</span>
      <span>{formatTick(bars[Math.floor(bars.length / 2)]?.atMs ?? 0)}</span>
      <span>{formatTick((bars.at(-1)?.atMs ?? 0) + stepMs)}</span>
    </figcaption>
  );
}

type BarProps = { bar: HourBar; index: number; top: number; isAt: boolean };

function Bar({ bar, index, top, isAt }: BarProps) {
  let y = 100;
  return (
    <g className={isAt ? styles.at : undefined}>
      {isAt && <rect className={styles.cursor} x={index} y={0} width={1} height={100} />}
      {layers.map((status) => {
        const height = ((bar.byStatus[status] ?? 0) / top) * 100;
        if (height === 0) return null;
        y -= height;
        return (
          <rect
            key={status}
            className={styles[status]}
            x={index + 0.12}
            y={y}
            width={0.76}
            height={height}
          />
        );
      })}
    </g>
  );
}

const tick = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

function formatTick(atMs: number): string {
  return tick.format(new Date(atMs));
}

function describe(bar: HourBar | undefined, stepMs: number): string {
  if (bar === undefined) return "No calls";
  const parts = layers
    .toReversed()
    .filter((status) => (bar.byStatus[status] ?? 0) > 0)
    .map((status) => `${formatNumber(bar.byStatus[status] ?? 0)} ${status}`);
  const span = `${formatTick(bar.atMs)} – ${formatTick(bar.atMs + stepMs)}`;
  return `${span}: ${parts.length === 0 ? "no calls" : parts.join(", ")}`;
}
