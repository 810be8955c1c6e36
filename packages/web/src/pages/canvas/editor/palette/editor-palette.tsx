import type { ComponentProps } from "react";
import { LazyPart } from "../lazy-part.tsx";
import type { Palette as PalettePart } from "./item-palette.tsx";

type PaletteProps = ComponentProps<typeof PalettePart>;
type Item = Parameters<PaletteProps["onAdd"]>[0];

type Props = Omit<PaletteProps, "onAdd"> & {
  onAdd: (item: Item, at: PaletteProps["at"]) => void;
  /** The palette could not be loaded. */
  onFailed: () => void;
};

/** The palette, which is loaded when it is opened first. */
export function EditorPalette({ at, onAdd, onFailed, ...props }: Props) {
  return (
    <LazyPart load={loadPalette} onFailed={onFailed}>
      {({ Palette }) => <Palette at={at} onAdd={(item) => onAdd(item, at)} {...props} />}
    </LazyPart>
  );
}

const loadPalette = () => import("./item-palette.tsx");
