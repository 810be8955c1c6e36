import type { ListedOperation } from "@hub/contract/row.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/page/card.tsx";
import { Snippet } from "../../ui/page/snippet.tsx";
import type { ShownRow } from "../rows/shown-row.ts";
import { toCurl } from "../runs/call-to-curl.ts";

type Props = {
  row: ShownRow;
  operation: ListedOperation;
  /** What is typed in the form. */
  params: Readonly<Record<string, unknown>>;
};

/** How a client makes the same call: by words, as a tool call, and by a command. */
export function ClientCall({ row, operation, params }: Props) {
  const { mcpUrl } = useMe();
  const args = { tool_id: operation.tool_id, params };
  // Clients that may run hub_read without a question need none here.
  const tool = operation.reads ? "hub_read" : "hub_execute";
  const called = { connector_id: row.id, operation_key: operation.key, request: params };
  return (
    <>
      <Card title="Ask your assistant">
        <Snippet
          what="the sentence"
          text={`Use the hub: call "${operation.name}" of "${row.label}" (${operation.tool_id}).`}
        />
      </Card>
      <Card title={`The arguments of ${tool}`}>
        <Snippet what="the arguments" text={JSON.stringify(args, null, 2)} />
      </Card>
      <Card title="In a terminal">
        <Snippet what="the command" text={toCurl(called, mcpUrl, tool)} />
        <p>
          {"Put an "}
          <a href="/profile/tokens">access token</a>
          {" in place of YOUR_TOKEN. "}
          <a href="/profile/mcp">Connect a client</a>
          {" has the lines for other clients."}
        </p>
      </Card>
    </>
  );
}
