import { type RefObject, useEffect, useRef } from "react";
import { useInspector } from "../inspector-context.ts";

/** Makes a field take values of the tree. `take` takes a whole template, or gives false if it is inserted instead. */
export function useTakesValues(
  field: RefObject<HTMLElement | null>,
  isOn: boolean,
  take: (template: string) => boolean,
): void {
  const { targets } = useInspector();
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    if (!isOn || field.current === null) return;
    return targets.register(field.current, (template) => latest.current(template));
  }, [targets, field, isOn]);
}
