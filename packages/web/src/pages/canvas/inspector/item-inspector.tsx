import { Tabs } from "@mantine/core";
import { useState } from "react";
import { LazyPart } from "../editor/lazy-part.tsx";
import { listUnreadProblems } from "../editor/problems/unread-texts.ts";
import { StepDetails } from "../run/steps/step-details.tsx";
import type { ShownRun } from "../run/use-shown-run.ts";
import styles from "./inspector.module.css";
import { Inspector, type InspectorProps } from "./inspector.tsx";
import { InspectorContext } from "./inspector-context.ts";
import { useScope } from "./use-scope.ts";
import { NodeOutput } from "./values/node-output.tsx";
import { toValueDrops } from "./values/value-drops.ts";
import { ValuesPanel } from "./values/values-panel.tsx";

const inspectorTabs = ["fields", "run", "try"] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

type Props = InspectorProps & {
  /** The run that is shown on the graph. */
  shown: ShownRun | undefined;
  tab: InspectorTab;
  onTab: (tab: InspectorTab) => void;
  /** Stores what is not saved yet. */
  flush: () => Promise<boolean>;
};

const loadRunOneNode = () => import("../run/start/run-one-node.tsx");
const nothing = () => {};

/** The fields of an item, what it did in the run that is shown, and for a node a run of it alone. */
export function ItemInspector({ shown, tab, onTab, flush, ...props }: Props) {
  const { body, item, unread } = props;
  const isNode = body.nodes.includes(item);
  const [problem] = listUnreadProblems(
    body,
    unread.list().filter(({ id }) => id === item.id),
  );
  const scope = useScope(props);
  const [drops] = useState(() => toValueDrops(scope.targets));
  const { isWide } = props;
  const hasRun = shown !== undefined;
  const known = tab === "run" ? hasRun : tab === "fields" || isNode;
  const fields = (
    <Tabs
      value={known ? tab : "fields"}
      onChange={(next) => onTab(inspectorTabs.find((one) => one === next) ?? "fields")}
      keepMounted={false}
    >
      <Tabs.List mb="sm">
        <Tabs.Tab value="fields">Fields</Tabs.Tab>
        {hasRun && <Tabs.Tab value="run">In this run</Tabs.Tab>}
        {isNode && <Tabs.Tab value="try">Try it</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="fields">
        <Inspector {...props} />
      </Tabs.Panel>
      {hasRun && (
        <Tabs.Panel value="run">
          <StepDetails
            key={item.id}
            run={shown.run}
            item={item}
            id={item.id}
            steps={shown.findSteps(item.id)}
          />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="try">
        <LazyPart load={loadRunOneNode} onFailed={nothing}>
          {({ RunOneNode }) => (
            <RunOneNode
              key={item.id}
              workflow={props.workflow}
              item={item}
              run={props.run}
              flush={flush}
              unread={problem?.message ?? null}
            />
          )}
        </LazyPart>
      </Tabs.Panel>
    </Tabs>
  );
  return (
    <InspectorContext value={scope}>
      <div className={isWide ? styles.columns : undefined}>
        {isWide && (
          <div className={styles.column}>
            <ValuesPanel key={item.id} />
          </div>
        )}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it watches its fields. */}
        <div
          className={styles.middle}
          onFocus={(event) => scope.targets.remember(event.target)}
          {...drops}
        >
          {!isNode && !hasRun ? <Inspector {...props} /> : fields}
        </div>
        {isWide && (
          <div className={styles.column}>
            <NodeOutput key={item.id} />
          </div>
        )}
      </div>
    </InspectorContext>
  );
}
