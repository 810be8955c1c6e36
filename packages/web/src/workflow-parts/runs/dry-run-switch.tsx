import { Switch } from "@mantine/core";

type Props = { isDryRun: boolean; onDryRun: (isDryRun: boolean) => void };

/** Chooses a run that only reads, and records what it would send. */
export function DryRunSwitch({ isDryRun, onDryRun }: Props) {
  return (
    <Switch
      label="Dry run: nothing is sent"
      description="Steps that only read are run. Those that change or send something are recorded with their values."
      checked={isDryRun}
      onChange={(event) => onDryRun(event.currentTarget.checked)}
    />
  );
}
