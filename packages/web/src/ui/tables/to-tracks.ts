import type { CSSProperties } from "react";
import type { Column } from "./column.ts";
import type { ContentWidths } from "./use-content-widths.ts";

/** Of data-table.module.css. */
const [gapPx, paddingPx, borderPx] = [16, 32, 2];
/** Longer texts do not make a table wider. */
const columnPxMax = 960;

type Tracks = CSSProperties & { "--tracks": string };

/**
 * The grid of a table. A column that may grow does so up to the width of its contents, and the table ends behind the last
 * column. Without widths, as while it loads, it takes the whole width.
 */
export function toTracks(
  columns: ReadonlyArray<Pick<Column<never>, "key" | "width">>,
  widths: ContentWidths,
  maxWidth?: string,
): Tracks {
  const sized = columns.map(({ key, width }) => sizeColumn(width, widths[key]));
  const tracks: Tracks = { "--tracks": sized.map(({ track }) => track).join(" ") };
  const parts = sized.map(({ widest }) => widest);
  if (!parts.every((part) => part !== null)) {
    return maxWidth === undefined ? tracks : { ...tracks, maxWidth };
  }
  const rest = gapPx * (columns.length - 1) + paddingPx + borderPx;
  return { ...tracks, maxWidth: `calc(${parts.join(" + ")} + ${rest}px)` };
}

function sizeColumn(width: string, contentPx: number | undefined) {
  const least = /^minmax\(([\d.]+rem), .*(?:fr|auto)\)$/.exec(width)?.[1];
  if (least === undefined) return { track: width, widest: width };
  if (contentPx === undefined) return { track: width, widest: null };
  const widest = `max(${least}, ${Math.min(contentPx, columnPxMax)}px)`;
  return { track: `minmax(${least}, ${widest})`, widest };
}
