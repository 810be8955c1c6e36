import { useState } from "react";

/** What the palette lists: everything, the rows of a connector, or the operations of a row. */
export type PaletteView =
  | { kind: "all" }
  | { kind: "connector"; key: string; name: string }
  | { kind: "row"; id: string; label: string; connector: { key: string; name: string } };

/** Where the palette is, and what is typed there. Each place begins with an empty search. */
export function usePalettePath() {
  const [place, setView] = useState<PaletteView>({ kind: "all" });
  const [typed, setTyped] = useState("");
  const open = (to: PaletteView) => {
    setView(to);
    setTyped("");
  };
  const up = () => {
    if (place.kind === "row") open({ kind: "connector", ...place.connector });
    else if (place.kind === "connector") open({ kind: "all" });
  };
  return { place, typed, setTyped, open, up };
}
