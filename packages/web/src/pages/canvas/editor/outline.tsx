import { type Body, findItem, isTrigger, listLinks } from "../graph/body.ts";
import { describeItem, toTitle } from "../graph/describe-item.ts";
import { sortItems } from "../graph/walk-graph.ts";
import look from "./bottom-panel.module.css";

type Props = { body: Body; selected: ReadonlySet<string>; onGo: (id: string) => void };

/** The graph as a list in reading order, with where each item leads: for screen readers and long graphs. */
export function Outline({ body, selected, onGo }: Props) {
  const links = listLinks(body);
  const nameOf = (id: string) => {
    const item = findItem(body, id);
    return item === null ? id : toTitle(item, isTrigger(body, id));
  };
  return (
    <ol className={look.list}>
      {sortItems(body).map((id) => {
        const item = findItem(body, id);
        if (item === null) return null;
        const next = links
          .filter(({ from }) => from === id)
          .map(({ to, case: name }) =>
            name === undefined ? nameOf(to) : `${name}: ${nameOf(to)}`,
          );
        return (
          <li key={id}>
            <button
              type="button"
              aria-current={selected.has(id) || undefined}
              onClick={() => onGo(id)}
            >
              <span className={look.strong}>{nameOf(id)}</span>
              <span className={look.soft}>{describeItem(item, isTrigger(body, id))}</span>
              {item.disabled === true && <span>switched off</span>}
              <span>{next.length === 0 ? "ends here" : `leads to ${next.join("; ")}`}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
