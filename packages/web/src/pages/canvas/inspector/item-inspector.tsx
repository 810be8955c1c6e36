import { Tabs } from "@mantine/core";
import { StepDetails } from "../run/step-details.tsx";
import type { ShownRun } from "../run/use-shown-run.ts";
import { Inspector, type InspectorProps } from "./inspector.tsx";

export type InspectorTab = "fields" | "run";

type Props = InspectorProps & {
  /** The run that is shown on the graph. */
  shown: ShownRun | undefined;
  tab: InspectorTab;
  onTab: (tab: InspectorTab) => void;
};

/** The fields of an item, and what it did in the run that is shown. */
export function ItemInspector({ shown, tab, onTab, ...props }: Props) {
  const { id } = props.item;
  if (shown === undefined) return <Inspector {...props} />;
  return (
    <Tabs
      value={tab}
      onChange={(next) => onTab(next === "run" ? "run" : "fields")}
      keepMounted={false}
    >
      <Tabs.List mb="sm">
        <Tabs.Tab value="fields">Fields</Tabs.Tab>
        <Tabs.Tab value="run">In this run</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="fields">
        <Inspector {...props} />
      </Tabs.Panel>
      <Tabs.Panel value="run">
        <StepDetails
          key={id}
          run={shown.run}
          item={props.item}
          id={id}
          steps={shown.findSteps(id)}
        />
      </Tabs.Panel>
    </Tabs>
  );
}
