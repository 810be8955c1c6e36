import { Switch } from "@mantine/core";

type Props = { isDry: boolean; onDry: (isDry: boolean) => void };

/** Chooses a run that only reads, and records what it would send. */
export function DryRunSwitch({ isDry, onDry }: Props) {
  return (
    <Switch
      label="Dry run: nothing is sent"
      description="Reads are made. What would change or send something is recorded with its values instead."
      checked={isDry}
      onChange={(event) => onDry(event.currentTarget.checked)}
    />
  );
}
