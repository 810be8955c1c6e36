import { formatExact } from "../text/format.ts";
import { FilterSelect } from "./filter-bar.tsx";

type Span = { from?: string | undefined; to?: string | undefined };

const hourMs = 3_600_000;
const spans = [
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last day" },
  { value: "168", label: "Last week" },
];

/** The span of time of a list. A span of a chart is shown as it is. */
export function TimeFilter({ from, to, onChange }: Span & { onChange: (span: Span) => void }) {
  const shown = describeSpan({ from, to });
  return (
    <FilterSelect
      label="Time"
      any="Any time"
      options={shown === null ? spans : [{ value: "span", label: shown }, ...spans]}
      value={shown === null ? undefined : "span"}
      onChange={(hours) => onChange(toSpan(hours))}
    />
  );
}

function toSpan(hours: string): Span {
  if (hours === "") return { from: undefined, to: undefined };
  return { from: new Date(Date.now() - Number(hours) * hourMs).toISOString(), to: undefined };
}

function describeSpan({ from, to }: Span): string | null {
  if (from === undefined) return to === undefined ? null : `Before ${formatExact(to)}`;
  if (to === undefined) return `Since ${formatExact(from)}`;
  return `${formatExact(from)} – ${formatExact(to)}`;
}
