import { useDebouncedValue } from "@mantine/hooks";
import { useApi } from "../../../../api/use-api.ts";
import { matchesText } from "../../../../ui/tables/text-filters.ts";
import {
  type ItemType,
  type NodeType,
  nodeTypes,
  type TriggerType,
  triggerTypes,
} from "../../graph/item-types.ts";
import { beginsName } from "./begins-name.ts";

const searchAfterMs = 200;

export const commentItem = {
  name: "Comment",
  icon: "edit" as const,
  about: "A text on the graph for those who read it.",
};

/** What matches the typed text. Triggers and comments are offered if the item `isFree`, connected to nothing. */
export function usePaletteSearch(typed: string, isFree: boolean) {
  const [asked] = useDebouncedValue(typed.trim(), searchAfterMs);
  const found = useApi("GET /manager/api/search", { query: { q: asked } }, { isOn: asked !== "" });
  const query = typed.trim() === "" ? undefined : typed.trim();
  const channels = useApi("GET /manager/api/channels", {}).data?.channels ?? [];
  // Operations are found by the search. Without a channel, there is nothing to choose.
  const isHidden = (type: string) =>
    type === "operation" || (type === "channel" && channels.length === 0);
  const isShown = (type: string, { name, about }: ItemType) =>
    !isHidden(type) && matchesText(query, [type, name, about]);
  // Object.entries gives the keys of these records.
  const triggers = (Object.entries(triggerTypes) as Array<[TriggerType, ItemType]>).filter(
    ([type, one]) => isFree && isShown(type, one),
  );
  const nodes = (Object.entries(nodeTypes) as Array<[NodeType, ItemType]>).filter(([type, one]) =>
    isShown(type, one),
  );
  const isCommentShown =
    isFree && matchesText(query, ["comment note", commentItem.name, commentItem.about]);
  // Enter takes the first entry, so a step comes before the operations if the typed text begins its name.
  const isStepMeant = query !== undefined && beginsName(query, nodes);
  // Operations stand above other steps, which would move away below the pointer when the operations arrive.
  const isSearching = query !== undefined && (asked !== query || found.isFetching);
  const operations = query === undefined || isSearching ? [] : (found.data?.operations ?? []);
  const [only, another] = channels;
  return {
    query,
    triggers,
    nodes: isSearching && !isStepMeant ? [] : nodes,
    operations,
    isCommentShown,
    isStepMeant,
    hasChannels: channels.length > 0,
    /** The slug of the channel, if there is one to choose. */
    onlyChannel: another === undefined ? (only?.slug ?? null) : null,
    isSearching,
  };
}
