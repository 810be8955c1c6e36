import { Button, Skeleton } from "@mantine/core";
import { useId } from "react";
import { Badge } from "../../../ui/badges/badge.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { GraphPicture } from "../../../workflow-parts/graph-picture.tsx";
import { Words } from "../../../workflow-parts/words.tsx";
import styles from "./examples.module.css";
import type { DrawnExample, useExamples } from "./use-examples.ts";

type Props = {
  examples: ReturnType<typeof useExamples>;
  onUse: (id: string) => void;
};

/** The workflows to start from as cards: what each does, what it needs, and its picture. */
export function ExampleCards({ examples, onUse }: Props) {
  return (
    <Loaded of={examples} what="The examples" skeleton={<CardsSkeleton />}>
      {(found) => (
        <ul className={styles.cards} aria-label="Examples">
          {found.map((example) => (
            <ExampleCard key={example.id} example={example} onUse={() => onUse(example.id)} />
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function ExampleCard({ example, onUse }: { example: DrawnExample; onUse: () => void }) {
  const { name, description } = example;
  const id = useId();
  return (
    <li className={styles.card} aria-labelledby={id}>
      <ExamplePicture example={example} />
      <h3 id={id} className={styles.name}>
        {name}
      </h3>
      <p className={styles.about}>
        <Words text={description} />
      </p>
      <p className={styles.needs}>
        <Needed example={example} />
      </p>
      <Button variant="default" size="xs" aria-label={`Use the example ${name}`} onClick={onUse}>
        Use
      </Button>
    </li>
  );
}

/** The picture of an example, when its steps are placed. */
export function ExamplePicture({ example: { body, name, layout } }: { example: DrawnExample }) {
  if (layout === undefined) return <div className={styles.place} />;
  return <GraphPicture body={body} label={`Picture of ${name}`} layout={layout} isSmall />;
}

function Needed({ example: { needs } }: { example: DrawnExample }) {
  const connectors = [...new Set(needs.rows.map(({ connector }) => connector))];
  const secrets = needs.secrets.length;
  const workflows = needs.workflows.length;
  if (connectors.length + secrets + workflows === 0) return "Needs nothing else.";
  return (
    <>
      {connectors.length > 0 ? "Needs a row of " : "Needs "}
      {connectors.map((connector) => (
        <Badge key={connector}>{connector}</Badge>
      ))}
      {needs.secrets.map(({ name }) => (
        <Badge key={name} tone="warn">{`secret ${name}`}</Badge>
      ))}
      {workflows > 0 && <Badge>{workflows === 1 ? "a workflow" : `${workflows} workflows`}</Badge>}
    </>
  );
}

function CardsSkeleton() {
  return (
    <div className={styles.cards} role="status" aria-label="Loading">
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <Skeleton key={key} height={330} radius="md" />
      ))}
    </div>
  );
}
