import { useRef, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { describeRefusal, readDocument } from "../rows/operations/read-api-document.ts";
import type { Read, Source } from "./read-source.ts";

type PlanReadingOptions = {
  onRead: (read: Read) => void;
  /** What was read before is not shown any more. */
  onForget: () => void;
};

/** Reads what an address or a document offers. `refusal` says why a file cannot be sent. */
export function usePlanReading({ onRead, onForget }: PlanReadingOptions) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const asked = useRef<Source | null>(null);
  const plan = useChange("POST /manager/api/connections/plan", {
    refreshes: [],
    onDone: (answer, { body }) => {
      const source = asked.current;
      // Another source may have been dropped meanwhile.
      if (source !== null && source === body) onRead({ source, plan: answer });
    },
  });
  const read = (source: Source) => {
    setRefusal(null);
    onForget();
    asked.current = source;
    plan.run({ body: source });
  };
  const readFile = async (file: File | null | undefined) => {
    if (file === null || file === undefined) return;
    try {
      read({ document: await readDocument(file) });
    } catch (thrown) {
      setRefusal(describeRefusal(thrown));
    }
  };
  return { plan, refusal, read, readFile };
}
