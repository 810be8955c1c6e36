import { useMediaQuery } from "@mantine/hooks";
import { useMemo } from "react";
import type { Column } from "./column.ts";

/** The columns for which the window is wide enough. */
export function useShownColumns<T>(columns: ReadonlyArray<Column<T>>): ReadonlyArray<Column<T>> {
  const isLarge = useMediaQuery("(min-width: 80.01rem)", true, { getInitialValueInEffect: false });
  return useMemo(
    () => (isLarge ? columns : columns.filter((column) => column.isLargeOnly !== true)),
    [isLarge, columns],
  );
}
