import { useState } from "react";
import { ExactNumber } from "../api/exact-json.ts";
import { CopyButton } from "./copy-button.tsx";
import styles from "./json-tree.module.css";

const itemsPerStep = 100;
const charsMax = 600;

/** A JSON value as a tree to open and close. Long lists and texts are shown in steps. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys.
    <div className={styles.tree} role="group" aria-label={label} tabIndex={0}>
      <div className={styles.copy}>
        <CopyButton text={toText(value)} what={label.toLowerCase()} />
      </div>
      <JsonValue name={null} value={value} isOpen />
    </div>
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

type ValueProps = { name: string | null; value: unknown; isOpen?: boolean };

function JsonValue({ name, value, isOpen = false }: ValueProps) {
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
    return <JsonParent name={name} value={value} isOpen={isOpen} />;
  }
  return (
    <div className={styles.line}>
      <Name name={name} />
      <JsonLeaf value={value} />
    </div>
  );
}

function JsonParent({ name, value, isOpen }: Required<ValueProps> & { value: object }) {
  const [shown, setShown] = useState(itemsPerStep);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const size = `${entries.length} ${isList ? "item" : "member"}${entries.length === 1 ? "" : "s"}`;
  if (entries.length === 0) {
    return (
      <div className={styles.line}>
        <Name name={name} />
        <span className={styles.size}>{isList ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <details className={styles.parent} open={isOpen}>
      <summary>
        <Name name={name} />
        <span className={styles.size}>{`${isList ? "[…]" : "{…}"} ${size}`}</span>
      </summary>
      <div className={styles.children}>
        {entries.slice(0, shown).map(([key, child]) => (
          <JsonValue key={key} name={key} value={child} isOpen={isOpen && entries.length <= 20} />
        ))}
        {entries.length > shown && (
          <button
            type="button"
            className={styles.more}
            onClick={() => setShown(shown + itemsPerStep)}
          >
            {`Show ${Math.min(itemsPerStep, entries.length - shown)} more`}
          </button>
        )}
      </div>
    </details>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className={styles.number}>{String(value)}</span>;
  // Texts keep their line breaks and have no quotes, as people read them.
  const text = isWhole ? value : value.slice(0, charsMax);
  return (
    <span className={value.startsWith("hub_enc_") ? styles.sealed : styles.text}>
      {text === "" ? '""' : text}
      {text.length < value.length && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          {`Show ${value.length - text.length} more characters`}
        </button>
      )}
    </span>
  );
}

function Name({ name }: { name: string | null }) {
  return name === null ? null : <span className={styles.name}>{name}: </span>;
}
