import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type { OperationDefinition } from "@hub/contract/row-discovery.ts";

/** A part of a definition as texts. Empty if a version does not have it. */
export type DefinitionChange = { name: string; before: string; after: string; isCode: boolean };

/** The parts in which two definitions differ, in the order in which an admin should read them. */
export function listChanges(
  before: OperationDefinition,
  after: OperationDefinition,
): DefinitionChange[] {
  const texts = (one: OperationDefinition) => [
    { name: "Name", text: one.name, isCode: false },
    { name: "Description", text: one.description, isCode: false },
    { name: "Effect", text: describeEffect(one), isCode: false },
    { name: "Input schema", text: toJson(one.input_schema), isCode: true },
    { name: "Output schema", text: toJson(one.output_schema), isCode: true },
    { name: "How it is called", text: toJson(one.binding), isCode: true },
  ];
  const now = texts(after);
  return texts(before).flatMap(({ name, text, isCode }, at) => {
    const next = now[at]?.text ?? "";
    return text === next ? [] : [{ name, before: text, after: next, isCode }];
  });
}

/** What an operation does to the outside system, in words. */
export function describeEffect({
  destructive,
  idempotent,
}: Pick<OperationDefinition, "destructive" | "idempotent">): string {
  const effect = destructive ? "Destructive" : "Not destructive";
  return idempotent ? `${effect}, can be repeated safely` : effect;
}

/** Invisible characters are shown as escapes, because they are a part of what is approved. */
function toJson(value: unknown): string {
  return value === undefined ? "" : escapeInvisible(JSON.stringify(value, null, 2));
}
