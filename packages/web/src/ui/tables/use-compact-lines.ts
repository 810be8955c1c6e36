import { useLocalStorage } from "@mantine/hooks";

/** Whether tables have lines of 28 px instead of 36, which this browser keeps. */
export function useCompactLines() {
  return useLocalStorage({
    key: "hub.tables.compact",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
}
