import { isJsonObject, type Json } from "@hub/connector";

/** One column of a data frame. */
export type Column = {
  /** In small letters: hosts differ in case. */
  name: string;
  type: string;
  /** What a whole column is labelled with. */
  labels: Json;
  values: Json[];
  /** Nanoseconds beyond the milliseconds of each value, where the host sends them. */
  nanos: Json[];
};

/** The columns of a frame; none for a frame that holds nothing. */
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

/** JSON has no word for these numbers: they come as null, with their rows beside. */
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

/** The first column of one of the names, tried in their order. */
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
    // Of no form that is known; the line is worth more than its labels.
    return null;
  }
}

function toArray(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
