import { Tabs } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { ClientView } from "./client-view.tsx";

/** The result of a test, as a tree or as a client gets it. */
export function TestResult({ result, run }: { result: unknown; run: string }) {
  return (
    <Card
      title="Result"
      actions={
        <Link to="/manager/runs/$run" params={{ run }}>
          Recorded call
        </Link>
      }
    >
      <Tabs defaultValue="tree" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="client">As a client sees it</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">
          <JsonTree value={result} label="Result" />
        </Tabs.Panel>
        <Tabs.Panel value="client">
          <ClientView result={result} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
