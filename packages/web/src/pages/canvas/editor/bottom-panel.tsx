import { Fragment, type ReactNode, useId } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import look from "./bottom-panel.module.css";
import styles from "./editor.module.css";

type BottomTab<Name extends string> = {
  name: Name;
  label: string;
  content: () => ReactNode;
};

type Props<Name extends string> = {
  tabs: ReadonlyArray<BottomTab<Name>>;
  /** Null while the panel is closed. */
  open: Name | null;
  onOpen: (name: Name | null) => void;
};

/** The part below the graph: one list at a time, or none. */
export function BottomPanel<Name extends string>({ tabs, open, onOpen }: Props<Name>) {
  const id = useId();
  const shown = tabs.find(({ name }) => name === open);
  return (
    <div className={styles.bottom}>
      <div className={look.tabs}>
        {tabs.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-expanded={name === open}
            aria-controls={id}
            onClick={() => onOpen(name === open ? null : name)}
          >
            <Icon name={name === open ? "down" : "right"} />
            {label}
          </button>
        ))}
      </div>
      <section
        id={id}
        className={look.content}
        hidden={shown === undefined}
        aria-label={shown?.label ?? "Lists"}
      >
        {/* A list that is loaded keeps its code, which is not that of the next one. */}
        <Fragment key={open}>{shown?.content()}</Fragment>
      </section>
    </div>
  );
}
