import { pageBytesMax } from "../query/to-page.ts";

/** Takes as many names as fit into a result, in order, with a note if some are left out. */
export function takeNames(names: readonly string[]): {
  shown: string[];
  cut: { truncated?: true; note?: string };
} {
  let bytes = 0;
  const end = names.findIndex((name) => {
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    return bytes > pageBytesMax;
  });
  if (end === -1) return { shown: [...names], cut: {} };
  const note = `${end} of ${names.length} are shown. A shorter window has fewer.`;
  return { shown: names.slice(0, end), cut: { truncated: true, note } };
}
