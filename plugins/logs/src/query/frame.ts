import { isJsonObject, type Json } from "@hub/connector";

/** One column of a data frame. */
export type Column = {
  /** In lower case, because hosts differ in case. */
  name: string;
  type: string;
  /** The labels of the whole column. */
  labels: Json;
  values: Json[];
  /** The nanoseconds below the milliseconds of each value, if the host sends them. */
  nanos: Json[];
};

/** The columns of a frame; empty for an empty frame. */
export function readColumns(frame: Json): Column[] {
  const schema = isJsonObject(frame) && isJsonObject(frame.schema) ? frame.schema : {};
  const data = isJsonObject(frame) && isJsonObject(frame.data) ? frame.data : {};
  const values = toArray(data.values);
  const nanos = toArray(data.nanos);
  const entities = toArray(data.entities);
  return toArray(schema.fields).map((field, at) => {
    const { name, type, labels } = isJsonObject(field) ? field : {};
    return {
      name: String(name ?? "").toLowerCase(),
      type: String(type ?? ""),
      labels: labels ?? {},
      values: fillEntities(toArray(values[at]), entities[at]),
      nanos: toArray(nanos[at]),
    };
  });
}

/** NaN and infinities, which JSON cannot express. They are null, and a separate member lists their rows. */
const entityWords = { NaN: "NaN", Inf: "+Inf", NegInf: "-Inf" } as const;

function fillEntities(values: Json[], entities: Json | undefined): Json[] {
  if (!isJsonObject(entities)) return values;
  const filled = [...values];
  for (const [name, word] of Object.entries(entityWords)) {
    for (const row of toArray(entities[name])) {
      if (typeof row === "number" && row in filled) filled[row] = word;
    }
  }
  return filled;
}

/** The column of the first name that exists. */
export function findColumn(columns: readonly Column[], names: readonly string[]): Column | null {
  for (const name of names) {
    const found = columns.find((column) => column.name === name);
    if (found !== undefined) return found;
  }
  return null;
}

/** Labels given as an object or as its JSON text, each value as text. */
export function toLabels(raw: Json): Record<string, string> {
  const value = typeof raw === "string" ? parseLabels(raw) : raw;
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, label]) => label !== null)
      .map(([name, label]) => [name, typeof label === "string" ? label : JSON.stringify(label)]),
  );
}

function parseLabels(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // The format is unknown. The line is returned without labels.
    return null;
  }
}

function toArray(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
