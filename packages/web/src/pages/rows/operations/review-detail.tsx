import type { ReviewedOperation } from "@hub/contract/row-discovery.ts";
import { Alert } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { WordDiff } from "../../../ui/json/word-diff.tsx";
import { describeEffect, listChanges } from "./list-changes.ts";
import styles from "./review.module.css";

/** A review can have changes of a hundred thousand characters. */
const openCharsMax = 20_000;

type Props = { operation: ReviewedOperation };

/** What an operation says of itself, its warnings, and what has changed. */
export function ReviewDetail({ operation }: Props) {
  const { key, source_name: source, definition, approved, review } = operation;
  return (
    <>
      <Warnings of={operation.warnings} />
      <p className={styles.soft}>
        {source !== key && (
          <>
            <bdi>{source}</bdi> <code>{key}</code>
            {". "}
          </>
        )}
        {`${describeEffect(definition)}.`}
        {review === "gone" &&
          " The outside system does not offer it any more, so clients cannot call it."}
      </p>
      {approved === null ? (
        <Definition operation={operation} />
      ) : (
        <Changes operation={operation} approved={approved} />
      )}
    </>
  );
}

/** What an admin should read with care. */
export function Warnings({ of: warnings }: { of: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="red" mb="xs" icon={<Icon name="warning" />} title="Read this with care">
      <ul className={styles.warnings}>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Alert>
  );
}

/** Texts from outside are shown as they are, never as Markdown or HTML. */
function Definition({ operation: { key, source_name: source, definition } }: Props) {
  return (
    <>
      {definition.name !== source && (
        <p className={styles.soft}>
          <bdi>{definition.name}</bdi>
        </p>
      )}
      <p className={styles.text} dir="auto">
        {definition.description || "It has no description."}
      </p>
      <Schema title="Input schema" of={key} value={definition.input_schema} />
      {definition.output_schema !== undefined && (
        <Schema title="Output schema" of={key} value={definition.output_schema} />
      )}
      {definition.binding !== undefined && (
        <Schema title="How it is called" of={key} value={definition.binding} />
      )}
    </>
  );
}

type ChangesProps = Props & {
  approved: NonNullable<ReviewedOperation["approved"]>;
};

function Changes({ operation, approved }: ChangesProps) {
  const { key, definition } = operation;
  const changes = listChanges(approved, definition);
  const names = new Set(changes.map(({ name }) => name));
  return (
    <>
      {!names.has("Description") && (
        <p className={styles.text} dir="auto">
          {definition.description || "It has no description."}
        </p>
      )}
      {changes.map(({ name, before, after, isCode }) => (
        <section key={name} className={styles.change} aria-label={`${name} of ${key}`}>
          <h3 className={styles.part}>{`${name} has changed`}</h3>
          {before.length + after.length <= openCharsMax ? (
            <WordDiff before={before} after={after} isCode={isCode} />
          ) : (
            <Folded title="Show the change">
              {() => <WordDiff before={before} after={after} isCode={isCode} />}
            </Folded>
          )}
        </section>
      ))}
      {!names.has("Input schema") && (
        <Schema title="Input schema" of={key} value={definition.input_schema} />
      )}
    </>
  );
}

type FoldedProps = { title: string; children: () => ReactNode };

/** Its content is made when it is opened. */
function Folded({ title, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles.fold}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

function Schema({ title, of, value }: { title: string; of: string; value: unknown }) {
  return (
    <Folded title={title}>
      {() => <JsonTree isExact value={value} label={`${title} of ${of}`} />}
    </Folded>
  );
}
