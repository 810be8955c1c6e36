import { Tabs } from "@mantine/core";
import { useRef } from "react";
import { PermitList } from "../../../call-parts/permits/permit-list.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { FilterBar, FilterSelect } from "../../../ui/tables/filter-bar.tsx";
import { useFilters } from "../../../ui/tables/use-filters.ts";
import type { ApprovalFilters } from "../approval-filters.ts";
import { KeysButton, useKeysDialog } from "../keys/keys-button.tsx";
import styles from "./approvals-page.module.css";
import { DecisionList, outcomeNames, outcomes } from "./decision-list.tsx";
import { useListKeys } from "./use-list-keys.ts";

/** What runs of workflows and calls of clients ask of people. */
export function ApprovalsPage() {
  const { filters, set, go } = useFilters<ApprovalFilters>();
  const isDecided = filters.tab === "decided";
  const tab = filters.tab ?? "waiting";
  const keys = useKeysDialog();
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, keys.open);
  return (
    <Page
      title="Approvals"
      lead="Runs of workflows and calls of clients that wait for the decision of a person, and what was decided."
      actions={<KeysButton onOpen={keys.open} />}
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => go({ tab: tabs.find((one) => one === next), state: "" })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="waiting">Waiting</Tabs.Tab>
          <Tabs.Tab value="decided">Decided</Tabs.Tab>
          <Tabs.Tab value="permits">For an hour</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          {tab === "permits" ? (
            <PermitList />
          ) : (
            <>
              <FilterBar
                onClear={
                  filters.state !== undefined ||
                  filters.workflow !== undefined ||
                  filters.who === "all"
                    ? () => set({ state: "", workflow: "", who: "" })
                    : undefined
                }
              >
                <FilterSelect
                  label="Approver"
                  any="Asked of me"
                  options={[{ value: "all", label: "All I can see" }]}
                  value={filters.who}
                  onChange={(who) => set({ who: who === "all" ? "all" : undefined })}
                />
                {isDecided && (
                  <FilterSelect
                    label="State"
                    any="Any outcome"
                    options={outcomes.map((value) => ({ value, label: outcomeNames[value] }))}
                    value={filters.state}
                    onChange={(value) => set({ state: outcomes.find((one) => one === value) })}
                  />
                )}
              </FilterBar>
              <div ref={list} className={styles.list}>
                <DecisionList filters={filters} isDecided={isDecided} />
              </div>
            </>
          )}
        </Tabs.Panel>
      </Tabs>
      {keys.dialog}
    </Page>
  );
}

const tabs = ["decided", "permits"] as const;
