import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from "react";
import styles from "./inspector-side.module.css";
import { narrowPxMin } from "./use-inspector-width.ts";

type Props = {
  side: RefObject<HTMLElement | null>;
  /** The width in px that is shown. */
  px: number;
  onPull: (px: number) => void;
  onToggle: () => void;
};

const stepPx = 32;

/** The left edge of the inspector, which is pulled. A double click changes between wide and narrow. */
export function InspectorEdge({ side, px, onPull, onToggle }: Props) {
  /** Where the pointer took it, and how wide the inspector was. */
  const taken = useRef<{ x: number; width: number } | null>(null);
  const findWidth = () => side.current?.getBoundingClientRect().width ?? px;
  const toWidth = ({ clientX }: PointerEvent) =>
    taken.current === null ? findWidth() : taken.current.width + taken.current.x - clientX;
  const onKeyDown = (event: KeyboardEvent) => {
    const widths: Record<string, number> = {
      ArrowLeft: findWidth() + stepPx,
      ArrowRight: findWidth() - stepPx,
      Home: narrowPxMin,
      End: side.current?.parentElement?.clientWidth ?? px,
    };
    const width = widths[event.key];
    if (width === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (width === undefined) onToggle();
    else onPull(width);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      aria-valuenow={Math.round(px)}
      aria-valuemin={narrowPxMin}
      aria-valuemax={3000}
      aria-valuetext={`${Math.round(px)} pixels`}
      tabIndex={0}
      className={styles.edge}
      onKeyDown={onKeyDown}
      onDoubleClick={onToggle}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        taken.current = { x: event.clientX, width: findWidth() };
      }}
      onPointerMove={(event) => {
        // Only the width: the fields are drawn again when it is let go.
        if (taken.current !== null) {
          side.current?.style.setProperty("--inspector-width", `${toWidth(event)}px`);
        }
      }}
      onPointerUp={(event) => {
        const { x } = taken.current ?? { x: event.clientX };
        if (Math.abs(event.clientX - x) > 2) onPull(toWidth(event));
        taken.current = null;
      }}
      onPointerCancel={() => {
        taken.current = null;
        side.current?.style.setProperty("--inspector-width", `${px}px`);
      }}
    />
  );
}
