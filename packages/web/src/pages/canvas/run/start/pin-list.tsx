import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import look from "../run.module.css";
import { usePins } from "./draft-pins.ts";

type Props = {
  workflow: string;
  /** A node that runs itself, so that its pin has no effect. */
  except?: string;
};

/** The nodes with a pinned output, and a button that removes each pin. */
export function PinList({ workflow, except }: Props) {
  const { pinned, unpin, isBusy } = usePins(workflow);
  const nodes = pinned.filter((node) => node !== except);
  if (nodes.length === 0) {
    return (
      <p className={look.soft}>
        {'No output is pinned. A step of a past run has "Use this output in tests".'}
      </p>
    );
  }
  return (
    <div role="group" aria-label="Pinned outputs">
      <p className={look.soft}>These nodes give the output of a past run:</p>
      <ul className={look.pins}>
        {nodes.map((node) => (
          <li key={node}>
            <code>{node}</code>
            <IconButton
              icon="close"
              label={`Remove the pin of ${node}`}
              disabled={isBusy}
              onClick={() => unpin(node)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
