import type { IconName } from "@hub/contract/icons.ts";
import { ConnectorLogo } from "../../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { matchesText } from "../../../../ui/tables/text-filters.ts";
import { PaletteConnectors } from "./browse-operations.tsx";
import look from "./item-palette.module.css";
import { type NewItem, newComment, toNewNode, toNewOperation, toNewTrigger } from "./new-item.ts";
import { PaletteEntry, PaletteGroup } from "./palette-entry.tsx";
import type { PaletteView } from "./use-palette-path.ts";
import { commentItem, usePaletteSearch } from "./use-palette-search.ts";

type Props = {
  typed: string;
  /** Whether what is added is connected to nothing. */
  isFree: boolean;
  onAdd: (item: NewItem) => void;
  onOpen: (place: PaletteView) => void;
};

/** Triggers, steps, the operations that are found, and the connectors that have operations. */
export function PaletteAll({ typed, isFree, onAdd, onOpen }: Props) {
  const search = usePaletteSearch(typed, isFree);
  const { query, triggers, nodes, operations, isCommentShown, isStepMeant, hasChannels } = search;
  const { onlyChannel, isSearching } = search;
  const toFields = (type: string) =>
    type === "channel" && onlyChannel !== null ? { channel: onlyChannel } : {};
  const isTiled = query === undefined;
  const operationGroup = (
    <PaletteGroup key="operations" title="Operations" isShown={operations.length > 0}>
      {operations.map((one) => (
        <PaletteEntry
          key={`${one.row}/${one.key}`}
          name={one.name}
          about={one.label}
          icon={<ConnectorLogo connectorKey={one.connector} name={one.label} logo={one.logo} />}
          item={toNewOperation(one)}
          onAdd={onAdd}
        />
      ))}
    </PaletteGroup>
  );
  const stepGroup = (
    <PaletteGroup key="steps" title="Logic and steps" isShown={nodes.length > 0} isTiled={isTiled}>
      {nodes.map(([type, one]) => (
        <PaletteEntry
          key={type}
          {...one}
          icon={<TypeIcon icon={one.icon} />}
          item={toNewNode(type, toFields(type))}
          onAdd={onAdd}
        />
      ))}
    </PaletteGroup>
  );
  return (
    <>
      <PaletteGroup title="Triggers" isShown={triggers.length > 0} isTiled={isTiled}>
        {triggers.map(([type, one]) => (
          <PaletteEntry
            key={type}
            {...one}
            icon={<TypeIcon icon={one.icon} isTrigger />}
            item={toNewTrigger(type, toFields(type))}
            onAdd={onAdd}
          />
        ))}
      </PaletteGroup>
      {isStepMeant ? [stepGroup, operationGroup] : [operationGroup, stepGroup]}
      <PaletteConnectors query={query} onOpen={onOpen} />
      <PaletteGroup title="Notes" isShown={isCommentShown} isTiled={isTiled}>
        <PaletteEntry
          {...commentItem}
          icon={<TypeIcon icon={commentItem.icon} />}
          item={newComment}
          onAdd={onAdd}
        />
      </PaletteGroup>
      <PaletteGroup
        title="Channels"
        isShown={!hasChannels && matchesText(query, ["channel message chat slack telegram"])}
      >
        <p className={look.hint}>Not configured: you see no channel of this hub.</p>
      </PaletteGroup>
      <p className={look.hint} role="status" data-searching={isSearching || undefined}>
        {query !== undefined &&
          triggers.length + nodes.length + operations.length === 0 &&
          !isCommentShown &&
          (isSearching ? "Searching…" : "Nothing is found.")}
      </p>
    </>
  );
}

function TypeIcon({ icon, isTrigger = false }: { icon: IconName; isTrigger?: boolean }) {
  return (
    <span className={look.icon} data-trigger={isTrigger || undefined}>
      <Icon name={icon} />
    </span>
  );
}
