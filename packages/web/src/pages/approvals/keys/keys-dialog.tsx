import { Switch } from "@mantine/core";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import styles from "./keys.module.css";
import { useKeysOn } from "./use-keys.ts";

const cardKeys = [
  ["a", "Approve"],
  ["d", "Deny"],
  ["c", "Write a comment"],
  ["j", "Next"],
  ["k", "Previous"],
  ["Esc", "Back to the list; in the comment, out of it"],
  ["?", "These keys"],
] as const;
const listKeys = [
  ["j, k", "Next and previous line"],
  ["Enter, o", "Open the line"],
  ["a, d", "Open the line too: you decide when you have read it"],
  ["?", "These keys"],
] as const;

/** The keys of the pages of approvals, and the switch that turns them off. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useKeysOn();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <Switch
        label="Single keys"
        description="Switch them off if you speak to your computer, or press keys by accident. The buttons stay. This browser keeps it."
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
        data-autofocus
      />
      <Keys title="On an approval" keys={cardKeys} />
      <Keys title="In the list" keys={listKeys} />
    </Dialog>
  );
}

type KeysProps = { title: string; keys: ReadonlyArray<readonly [string, string]> };

function Keys({ title, keys }: KeysProps) {
  return (
    <section>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.keys}>
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd className={styles.key}>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
