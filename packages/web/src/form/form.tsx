import { toFieldLabel } from "@hub/contract/field-label.ts";
import { type ReactNode, useId, useState } from "react";
import { Icon } from "../ui/controls/icon.tsx";
import {
  type Draft,
  type FormField,
  type FormGroup,
  findText,
  toShownGroups,
  type,
} from "./field-form.ts";
import { FieldInput } from "./field-input.tsx";
import styles from "./form.module.css";
import type { FormHost } from "./form-host.ts";

type Props = {
  groups: readonly FormGroup[];
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
  host: FormHost;
  /** What is wrong, by key. */
  issues?: Readonly<Record<string, string>>;
  /** Keys of the required fields without a value. */
  missing?: readonly string[];
};

/** The id of a field's input, for links to it. */
export const toFieldId = (key: string) => `field-${key}`;

/** A form of tagged fields: cards of widgets, of which each shows while its condition is met. */
export function FieldForm({ groups, draft, onDraft, host, issues = {}, missing = [] }: Props) {
  return toShownGroups(groups, draft).map((group) => (
    <FieldCard
      key={group.title}
      group={group}
      isNeeded={group.fields.some(({ key }) => key in issues || missing.includes(key))}
    >
      {group.fields.map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          id={toFieldId(field.key)}
          label={toFieldLabel(field)}
          text={findText(field, draft)}
          isTyped={Object.hasOwn(draft, field.key)}
          error={issues[field.key] ?? null}
          isMissing={missing.includes(field.key)}
          host={host}
          onChange={(text) => onDraft((before) => type(before, field, text))}
          onReset={() => onDraft(({ [field.key]: _, ...others }) => others)}
        />
      ))}
    </FieldCard>
  ));
}

/** `isNeeded` opens a collapsed card, so that nothing that must be filled in is hidden. */
function FieldCard({
  group: { title, description, collapsed, fields },
  isNeeded,
  children,
}: {
  group: { title: string; description: string; collapsed: boolean; fields: FormField[] };
  isNeeded: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = !collapsed || (chosen ?? isNeeded);
  return (
    <section className={styles.card} aria-labelledby={id}>
      <h2 className={styles.title} id={id}>
        {collapsed ? (
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            onClick={() => setChosen(!isOpen)}
          >
            <Icon name={isOpen ? "down" : "right"} />
            {title}
          </button>
        ) : (
          title
        )}
      </h2>
      {description !== "" && <p className={styles.lead}>{description}</p>}
      {isOpen && (
        <div className={styles.fields} data-lone={fields.length === 1 || undefined}>
          {children}
        </div>
      )}
    </section>
  );
}
