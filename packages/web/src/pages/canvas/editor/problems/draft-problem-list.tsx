import { Icon } from "../../../../ui/controls/icon.tsx";
import { type Body, findItem, isTrigger } from "../../graph/body.ts";
import { toTitle } from "../../graph/describe-item.ts";
import look from "../bottom-panel.module.css";
import type { ItemProblem } from "./draft-problems.ts";

type Props = { body: Body; problems: readonly ItemProblem[]; onGo: (id: string) => void };

/** What is wrong with the draft. A click goes to the item. */
export function ProblemList({ body, problems, onGo }: Props) {
  if (problems.length === 0) return <p className={look.soft}>There are no problems.</p>;
  return (
    <ul className={look.list}>
      {problems.map(({ id, path, message, hint, severity }) => {
        const item = id === null ? null : findItem(body, id);
        return (
          <li key={path + message}>
            <button type="button" onClick={() => id !== null && onGo(id)}>
              <span className={severity === "error" ? look.bad : look.warn}>
                <Icon name="warning" />
              </span>
              {item !== null && (
                <span className={look.strong}>{toTitle(item, isTrigger(body, item.id))}</span>
              )}
              <span>
                {`${severity === "error" ? "" : "Warning: "}${message} `}
                <span className={look.soft}>{hint}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
