import { Switch } from "@mantine/core";

type Props = { isDryRun: boolean; onDryRun: (isDryRun: boolean) => void };

/** Chooses a run that only reads, and records what it would send. */
export function DryRunSwitch({ isDryRun, onDryRun }: Props) {
  return (
    <Switch
      label="Dry run: nothing is sent"
      description="Reads are made. What would change or send something is recorded with its values instead."
      checked={isDryRun}
      onChange={(event) => onDryRun(event.currentTarget.checked)}
    />
  );
}
