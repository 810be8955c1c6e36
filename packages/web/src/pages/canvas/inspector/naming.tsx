import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Body, Item } from "../graph/body.ts";
import { checkNewId, renameItem, setFields } from "../graph/commands.ts";
import { findItemType } from "../graph/item-types.ts";
import styles from "./inspector.module.css";
import type { Apply } from "./inspector-context.ts";

type NamingProps = {
  body: Body;
  item: Item;
  apply: Apply;
  isTrigger: boolean;
  onRenamed: (id: string) => void;
};

/** The name and the id of an item. */
export function Naming({ body, item, apply, onRenamed, isTrigger: isOne }: NamingProps) {
  const [id, setId] = useState(item.id);
  useEffect(() => setId(item.id), [item.id]);
  const problem = checkNewId(body, item.id, id);
  const rename = () => {
    if (id === item.id || problem !== null) return;
    apply((before) => renameItem(before, item.id, id));
    onRenamed(id);
  };
  return (
    <div className={styles.naming}>
      <TextInput
        label="Name"
        placeholder={findItemType(item, isOne).name}
        value={typeof item.label === "string" ? item.label : ""}
        maxLength={200}
        onChange={({ currentTarget: { value } }) =>
          apply(
            (before) => setFields(before, item.id, { label: value || undefined }),
            `${item.id} label`,
          )
        }
      />
      <TextInput
        label="Id"
        value={id}
        error={id === item.id ? null : problem}
        spellCheck={false}
        onChange={(event) => setId(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === "Enter" && rename()}
      />
    </div>
  );
}
