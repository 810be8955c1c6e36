import { Tabs } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { JsonTree } from "../ui/json/json-tree.tsx";
import { Card } from "../ui/page/card.tsx";
import { formatNumber } from "../ui/text/format.ts";
import styles from "./call-parts.module.css";
import { ClientView } from "./client-view.tsx";

type Block = Readonly<Record<string, unknown>>;
type Props = {
  result: unknown;
  /** Content blocks beside the result, by MCP's names. */
  blocks?: readonly Block[] | undefined;
  /** Id of the recorded call. */
  run: string;
};

/** The result of a call, as a tree or as a client gets it, and what came beside it. */
export function CallResult({ result, blocks = [], run }: Props) {
  const text = useMemo(() => JSON.stringify(result) ?? "null", [result]);
  return (
    <Card title="Result" actions={<RecordLink run={run} />}>
      <Tabs defaultValue="tree" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="client">As a client sees it</Tabs.Tab>
          {blocks.length > 0 && (
            <Tabs.Tab value="blocks">{`Beside it (${formatNumber(blocks.length)})`}</Tabs.Tab>
          )}
        </Tabs.List>
        <Tabs.Panel value="tree">
          <JsonTree value={result} label="Result" />
        </Tabs.Panel>
        <Tabs.Panel value="client">
          <ClientView text={text} what="The text content of the answer to hub_execute" />
        </Tabs.Panel>
        <Tabs.Panel value="blocks">
          <Blocks of={blocks} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

/** Leads to the record of a call. */
export function RecordLink({ run }: { run: string }) {
  return (
    <Link to="/manager/runs/$run" params={{ run }}>
      Recorded call
    </Link>
  );
}

const shownImages = /^image\/(?:png|jpeg|gif|webp)$/;

/** Images, and what a browser need not show by its members. */
function Blocks({ of: blocks }: { of: readonly Block[] }) {
  return (
    <ul className={styles.blocks}>
      {blocks.map((block, at) => {
        const { type, data, mimeType } = block;
        const isShown = type === "image" && shownImages.test(String(mimeType));
        const name = `${String(type)} ${at + 1}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of an answer do not change.
          <li key={at}>
            {isShown ? (
              <img src={`data:${String(mimeType)};base64,${String(data)}`} alt={name} />
            ) : (
              <JsonTree value={block} label={name} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
