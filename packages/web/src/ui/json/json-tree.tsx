import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import { createContext, useContext, useMemo, useState } from "react";
import { ExactNumber } from "../../api/exact-json.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { formatCount } from "../text/format.ts";
import { chooseOpen } from "./choose-open.ts";
import styles from "./json-tree.module.css";

const itemsPerStep = 100;
const charsMax = 600;
/** A browser is slow with one text of a megabyte, so it is shown in portions. */
const charsPerStep = 32_768;
const nameCharsMax = 200;

const OpenContext = createContext<ReadonlySet<object>>(new Set());

const ExactContext = createContext(false);

type TreeProps = {
  value: unknown;
  label: string;
  /** Shows invisible characters as escapes, for values by which a person decides. */
  isExact?: boolean;
};

/** A JSON value as a tree to open and close. Long lists and texts are shown in steps. */
export function JsonTree({ value, label, isExact = false }: TreeProps) {
  const open = useMemo(() => chooseOpen(value), [value]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys.
    <div className={styles.tree} role="group" aria-label={label} tabIndex={0}>
      <div className={styles.copy}>
        <CopyButton text={() => toText(value)} what={label.toLowerCase()} />
      </div>
      <OpenContext value={open}>
        <ExactContext value={isExact}>
          <JsonValue name={null} value={value} />
        </ExactContext>
      </OpenContext>
    </div>
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

type ValueProps = { name: string | null; value: unknown };

function JsonValue({ name, value }: ValueProps) {
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
    return <JsonParent name={name} value={value} />;
  }
  return (
    <div className={styles.line}>
      <Name name={name} />
      <JsonLeaf value={value} />
    </div>
  );
}

/** The children of a closed parent are made when it is opened first. */
function JsonParent({ name, value }: ValueProps & { value: object }) {
  const isOpenAtFirst = useContext(OpenContext).has(value);
  const [wasOpen, setWasOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState(itemsPerStep);
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  const size = formatCount(keys.length, isList ? "item" : "member");
  if (keys.length === 0) {
    return (
      <div className={styles.line}>
        <Name name={name} />
        <span className={styles.size}>{isList ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <details
      className={styles.parent}
      open={isOpenAtFirst}
      onToggle={(event) => {
        if (event.currentTarget.open) setWasOpen(true);
      }}
    >
      <summary>
        <Name name={name} />
        <span className={styles.size}>{`${isList ? "[…]" : "{…}"} ${size}`}</span>
      </summary>
      {wasOpen && (
        <div className={styles.children}>
          {keys.slice(0, shown).map((key) => (
            <JsonValue key={key} name={key} value={Reflect.get(value, key)} />
          ))}
          {keys.length > shown && (
            <button
              type="button"
              className={styles.more}
              onClick={() => setShown(shown + itemsPerStep)}
            >
              {`Show ${Math.min(itemsPerStep, keys.length - shown)} more`}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  const [shown, setShown] = useState(charsMax);
  const isExact = useContext(ExactContext);
  if (typeof value !== "string") return <span className={styles.number}>{String(value)}</span>;
  // Texts keep their line breaks and have no quotes, as people read them.
  const part = value.slice(0, shown);
  const text = isExact ? escapeInvisible(part) : part;
  const next = Math.min(value.length - shown, charsPerStep);
  return (
    <span className={value.startsWith("hub_enc_") ? styles.sealed : styles.text}>
      {text === "" ? '""' : text}
      {next > 0 && (
        <button type="button" className={styles.more} onClick={() => setShown(shown + next)}>
          {`Show ${next} more characters`}
        </button>
      )}
    </span>
  );
}

function Name({ name }: { name: string | null }) {
  const isExact = useContext(ExactContext);
  if (name === null) return null;
  const text = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name;
  return <span className={styles.name}>{isExact ? escapeInvisible(text) : text}: </span>;
}
