import { useLocalStorage } from "@mantine/hooks";

/** The keys of the columns that the user has hidden, kept in this browser. */
export function useHiddenColumns() {
  return useLocalStorage<string[]>({
    key: "hub.connections.hidden",
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readHidden,
  });
}

/** What is stored may be of another version, or changed by hand. */
function readHidden(text: string | undefined): string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
