import { useLocalStorage } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { takesLetters } from "../../../ui/keys/plain-key.ts";
import { doublePressMs, findAct, type KeyActs, type KeyScope } from "./key-rules.ts";

/** Whether single characters are keys of the pages of approvals. This browser keeps it. */
export function useKeysOn() {
  return useLocalStorage({
    key: "hub.approvals.keys",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}

/** Does what pressed keys are named for, wherever the focus is in the content of the page. */
export function useKeys(acts: KeyActs, isSettled: boolean): void {
  const [isOn] = useKeysOn();
  const last = useRef({ acts, isOn, isSettled });
  last.current = { acts, isOn, isSettled };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, repeat, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event;
      const act = findAct(
        last.current.acts,
        {
          key,
          repeat,
          isComposing,
          ctrlKey,
          metaKey,
          altKey,
          shiftKey,
          defaultPrevented: event.defaultPrevented,
          scope: findScope(event.target),
        },
        last.current,
      );
      if (act === null) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function findScope(target: EventTarget | null): KeyScope {
  if (document.querySelector("[aria-modal=true]") !== null) return "elsewhere";
  if (!(target instanceof Element) || target === document.body) return "page";
  if (takesLetters(target)) return "field";
  return target.closest("main") === null ? "elsewhere" : "page";
}

/** False until the content has been shown for as long as a double press takes. */
export function useSettled(content: string): boolean {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(content), doublePressMs);
    return () => clearTimeout(timer);
  }, [content]);
  return settled === content;
}
