import { NativeSelect } from "@mantine/core";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import {
  type Body,
  type Edge,
  findItem,
  type Item,
  isTrigger,
  listLinks,
  listOutputs,
} from "../graph/body.ts";
import { connect, disconnect, isFree, splice } from "../graph/commands.ts";
import { toTitle } from "../graph/describe-item.ts";
import { findAncestors } from "../graph/walk-graph.ts";
import styles from "./inspector.module.css";
import type { Apply } from "./inspector-context.ts";

type ConnectionProps = { body: Body; item: Item; apply: Apply; isTrigger: boolean };

/** Where each output leads. The keyboard connects nodes here. */
export function Connections(props: ConnectionProps) {
  const { body, item, apply, isTrigger: isOne } = props;
  const outputs = isOne ? [{ case: undefined }] : listOutputs(item);
  const before = findAncestors(body, item.id);
  const targets = body.nodes.filter(({ id }) => id !== item.id && !before.has(id));
  const nameOf = (id: string) => {
    const found = findItem(body, id);
    return found === null ? id : toTitle(found, isTrigger(body, id));
  };
  return (
    <fieldset className={styles.list}>
      <legend>Leads to</legend>
      {isFree(body, item.id) && <FreeNode {...props} nameOf={nameOf} />}
      {outputs.map((output) => {
        const links: Edge[] = isOne
          ? body.nodes
              .filter(({ id }) => id === item.entry)
              .map(({ id }) => ({ from: item.id, to: id }))
          : body.edges.filter((edge) => edge.from === item.id && edge.case === output.case);
        const free = targets.filter(({ id }) => !links.some(({ to }) => to === id));
        const name = output.case ?? "Next";
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: it takes the focus of what goes away.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of its buttons.
          <div
            key={name}
            className={styles.output}
            tabIndex={-1}
            onChange={keepFocus}
            onClick={keepFocus}
          >
            <span className={styles.case}>{name}</span>
            <div className={styles.targets}>
              {links.map((edge) => (
                <span key={edge.to} className={styles.target}>
                  {nameOf(edge.to)}
                  <IconButton
                    icon="close"
                    label={`Disconnect ${nameOf(edge.to)}`}
                    onClick={() => apply((now) => disconnect(now, edge))}
                  />
                </span>
              ))}
              {links.length + free.length === 0 && <span className={styles.soft}>Ends here</span>}
              {free.length > 0 && (
                <NativeSelect
                  aria-label={`Connect ${name} to`}
                  value=""
                  data={[
                    {
                      value: "",
                      label: links.length === 0 ? "Connect to…" : isOne ? "Instead to…" : "And to…",
                    },
                    ...free.map(({ id }) => ({ value: id, label: `${nameOf(id)} (${id})` })),
                  ]}
                  onChange={({ currentTarget: { value: to } }) =>
                    to !== "" &&
                    apply((now) =>
                      connect(now, {
                        from: item.id,
                        to,
                        ...(output.case !== undefined && { case: output.case }),
                      }),
                    )
                  }
                />
              )}
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

/**
 * What was just used may be gone then, and the focus with it. No button takes it: what is typed on, such as the rest of a
 * name with its spaces, would press it.
 */
function keepFocus({ currentTarget: output }: { currentTarget: HTMLElement }): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) output.focus();
  });
}

/** Puts a node without connections on one, as the pointer does by dropping it there. */
function FreeNode({
  body,
  item,
  apply,
  nameOf,
}: ConnectionProps & { nameOf: (id: string) => string }) {
  const links = listLinks(body);
  if (links.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Put on a connection"
      value=""
      data={[
        { value: "", label: "Put on a connection…" },
        ...links.map(({ from, to, case: name }, at) => ({
          value: String(at),
          label: `${nameOf(from)}${name === undefined ? "" : `, ${name}`} → ${nameOf(to)}`,
        })),
      ]}
      onChange={({ currentTarget: { value } }) => {
        const link = links[Number(value)];
        if (value !== "" && link !== undefined) apply((now) => splice(now, item.id, link));
      }}
    />
  );
}
