import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { type DateSpan, dateSpans, fromLocalInput, toLocalInput } from "./date-spans.ts";
import type { RunFilters } from "./run-filters.ts";
import styles from "./span-filter.module.css";

type Times = Pick<RunFilters, "span" | "from" | "to">;
type Props = {
  filters: Times;
  onChange: (change: { [_ in keyof Times]: Times[_] | undefined }) => void;
};

/** The days of the list: some spans by one click, and any times. */
export function SpanFilter({ filters: { span, from, to }, onChange }: Props) {
  const isCustom = from !== undefined || to !== undefined;
  const [isTyping, setTyping] = useState(false);
  const choose = (value: DateSpan | undefined) => {
    setTyping(false);
    onChange({ span: value, from: undefined, to: undefined });
  };
  const isAny = span === undefined && !isCustom;
  return (
    <div className={styles.spans} role="group" aria-label="Time">
      <Choice isChosen={isAny && !isTyping} onClick={() => choose(undefined)}>
        Any time
      </Choice>
      {dateSpans.map(({ value, label }) => (
        <Choice key={value} isChosen={span === value && !isTyping} onClick={() => choose(value)}>
          {label}
        </Choice>
      ))}
      <Choice isChosen={isCustom || isTyping} onClick={() => setTyping(true)}>
        Custom
      </Choice>
      {(isCustom || isTyping) && (
        <CustomTimes
          from={from}
          to={to}
          onChange={(times) => onChange({ span: undefined, ...times })}
        />
      )}
    </div>
  );
}

type ChoiceProps = { isChosen: boolean; onClick: () => void; children: string };

function Choice({ isChosen, onClick, children }: ChoiceProps) {
  return (
    <Button
      size="xs"
      variant={isChosen ? "light" : "default"}
      aria-pressed={isChosen}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

type CustomProps = {
  from: string | undefined;
  to: string | undefined;
  onChange: (times: { from: string | undefined; to: string | undefined }) => void;
};

/** Times in the zone of the browser. They take effect when the field is left. */
function CustomTimes({ from, to, onChange }: CustomProps) {
  return (
    <>
      <TimeInput label="From" at={from} onChange={(at) => onChange({ from: at, to })} />
      <TimeInput label="To" at={to} onChange={(at) => onChange({ from, to: at })} />
    </>
  );
}

type InputProps = {
  label: string;
  at: string | undefined;
  onChange: (at: string | undefined) => void;
};

function TimeInput({ label, at, onChange }: InputProps) {
  return (
    <TextInput
      // The chart and the spans change it from outside.
      key={at}
      type="datetime-local"
      size="xs"
      aria-label={label}
      leftSection={<span className={styles.label}>{label}</span>}
      leftSectionWidth={48}
      defaultValue={toLocalInput(at)}
      onBlur={({ currentTarget: { value } }) => {
        if (value !== toLocalInput(at)) onChange(fromLocalInput(value));
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") currentTarget.blur();
      }}
    />
  );
}
