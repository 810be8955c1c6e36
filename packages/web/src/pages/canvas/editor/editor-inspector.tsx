import { LazyPart } from "./lazy-part.tsx";
import type { SelectedSideProps } from "./selected-side.tsx";

const loadSelectedSide = () => import("./selected-side.tsx");
const nothing = () => {};

/** The inspector, whose code is loaded when something is selected first. */
export function EditorInspector(props: SelectedSideProps) {
  return (
    <LazyPart load={loadSelectedSide} onFailed={nothing}>
      {({ SelectedSide }) => <SelectedSide {...props} />}
    </LazyPart>
  );
}
