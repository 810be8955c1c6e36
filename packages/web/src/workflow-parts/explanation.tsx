import type { WorkflowExplanation } from "@hub/contract/workflow-explanation.ts";
import type { ReactNode } from "react";
import { useApi } from "../api/use-api.ts";
import { Badge } from "../ui/badges/badge.tsx";
import { Loaded } from "../ui/page/loaded.tsx";
import { PageSkeleton } from "../ui/page/page-skeleton.tsx";
import styles from "./explanation.module.css";
import { Sentences, Words } from "./words.tsx";

type Props = {
  workflow: string;
  /** `draft`, or the number of a version. */
  version: string;
  /** Changes with the draft, which is then explained again. */
  revision?: number | undefined;
  /** Shows a trigger or node. */
  onGo?: ((id: string) => void) | undefined;
};

/** A workflow in words: what starts it, and what each step does. */
export function Explanation({ workflow, version, revision, onGo }: Props) {
  const explanation = useApi("GET /manager/api/workflows/{workflow}/explanation", {
    params: { workflow },
    query: { version },
    ...(revision !== undefined && { revision }),
  });
  return (
    <Loaded of={explanation} what="The explanation" skeleton={<PageSkeleton lines={6} />}>
      {(found) => <Found of={found} onGo={onGo} />}
    </Loaded>
  );
}

function Found({ of, onGo }: { of: WorkflowExplanation } & Pick<Props, "onGo">) {
  const name = (id: string, label: string | null) => <Name id={id} label={label} onGo={onGo} />;
  return (
    <div className={styles.words}>
      <p className={styles.summary}>
        <Words text={of.summary} />
      </p>
      <Part title="What starts it">
        <ul>
          {of.triggers.map(({ id, label, sentences }) => (
            <li key={id}>
              {name(id, label)}
              <Sentences texts={sentences} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title="What it does">
        <ol>
          {of.steps.map(({ node_id: id, label, changes, sentences }) => (
            <li key={id}>
              {name(id, label)} {changes && <Badge tone="warn">Changes something</Badge>}
              <Sentences texts={sentences} />
            </li>
          ))}
        </ol>
      </Part>
    </div>
  );
}

type NameProps = { id: string; label: string | null } & Pick<Props, "onGo">;

function Name({ id, label, onGo }: NameProps) {
  const text = label ?? id;
  if (onGo === undefined) return <strong>{text}</strong>;
  return (
    <button type="button" className={styles.name} onClick={() => onGo(id)}>
      {text}
    </button>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
