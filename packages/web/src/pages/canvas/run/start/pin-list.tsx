import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import look from "../run.module.css";
import { type Pins, setPin } from "./draft-pins.ts";

/** The pinned outputs, with a button that removes each. */
export function PinList({ workflow, pins }: { workflow: string; pins: Pins }) {
  const nodes = Object.keys(pins);
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
              onClick={() => setPin(workflow, node, undefined)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
