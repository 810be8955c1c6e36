import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useCode } from "../../../ui/json/use-code.ts";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import styles from "./editor.module.css";

type Props<T> = {
  title: string;
  /** Goes back to the graph: Escape. */
  onLeave: () => void;
  onClose: () => void;
  /** Loads the code of the content, which the graph alone does not need. */
  load: () => Promise<T>;
  actions?: ReactNode;
  children: (code: T) => ReactNode;
};

/** The part at the right, about what is selected. */
export function InspectorSide<T>({ title, onLeave, onClose, load, actions, children }: Props<T>) {
  const { code, hasFailed, retry } = useCode(load);
  return (
    <aside
      className={`${styles.side} ${styles.inspector}`}
      aria-label={`Inspector: ${title}`}
      data-inspector
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <div className={styles.sideHead}>
        <h2>{title}</h2>
        <span className={styles.actions}>
          {actions}
          <IconButton icon="close" label="Close the inspector" onClick={onClose} />
        </span>
      </div>
      <div className={styles.scroll}>
        {code !== null && children(code)}
        {code === null && !hasFailed && <PageSkeleton lines={4} />}
        {hasFailed && (
          <p role="alert">
            {"The inspector could not be loaded. "}
            <Button size="compact-sm" variant="default" onClick={retry}>
              Try again
            </Button>
          </p>
        )}
      </div>
    </aside>
  );
}
