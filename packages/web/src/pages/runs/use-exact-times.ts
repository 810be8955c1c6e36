import { useLocalStorage } from "@mantine/hooks";

/** Whether lists of calls show exact times, which this browser keeps. Otherwise they are relative. */
export function useExactTimes() {
  return useLocalStorage({
    key: "hub.calls.exact-times",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}
