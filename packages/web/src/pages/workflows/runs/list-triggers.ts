export type BodyTrigger = {
  id: string;
  type: string;
  label: string;
  /** All fields, as the draft has them. */
  fields: Readonly<Record<string, unknown>>;
};

/** The triggers of a body. A draft may have errors: what is no trigger is left out. */
export function listTriggers(body: unknown): BodyTrigger[] {
  const { triggers } = Object(body);
  const list: unknown[] = Array.isArray(triggers) ? triggers : [];
  return list.flatMap((trigger) => {
    const fields: Record<string, unknown> = Object(trigger);
    const { id, type, label } = fields;
    if (typeof id !== "string" || typeof type !== "string") return [];
    return [{ id, type, label: typeof label === "string" && label !== "" ? label : id, fields }];
  });
}
