import { Alert } from "@mantine/core";
import { useApi } from "../../api/use-api.ts";
import { ClientView } from "../../call-parts/client-view.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import styles from "./callable.module.css";

/** The words of a search, or an operation. */
type Props = { ask: { q: string } | { tool_id: string } };

/** What a model is answered, exactly. */
export function ModelAnswer({ ask }: Props) {
  const answer = useApi("GET /manager/api/operations/as-a-client", { query: ask });
  return (
    <Loaded of={answer} what="The answer" skeleton={<PageSkeleton lines={8} />}>
      {({ tool, arguments: args, answer: { content, structuredContent, isError = false } }) => (
        <>
          <p className={styles.asked}>
            {"A model calls "}
            <code>{`${tool} ${JSON.stringify(args)}`}</code>
            {" and is answered:"}
          </p>
          {isError && (
            <Alert color="yellow" mb="md" title="The model is refused">
              The answer is marked as an error, so that the model does something else.
            </Alert>
          )}
          <div className={styles.answer}>
            <Card title="Text content">
              <ClientView
                text={content.map(({ text }) => String(text)).join("\n")}
                what={`The text content of the answer to ${tool}`}
              />
            </Card>
            {structuredContent !== undefined && (
              <Card title="Structured content">
                <JsonTree value={structuredContent} label="Structured content" />
              </Card>
            )}
          </div>
        </>
      )}
    </Loaded>
  );
}
