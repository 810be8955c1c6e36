import { useMantineColorScheme } from "@mantine/core";
import { IconButton } from "../ui/controls/icon-button.tsx";

const next = { auto: "light", light: "dark", dark: "auto" } as const;
const icons = { auto: "screen", light: "sun", dark: "moon" } as const;
const names = { auto: "as the system", light: "light", dark: "dark" } as const;

/** Switches between the colours of the system, light and dark. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const following = next[colorScheme];
  return (
    <IconButton
      icon={icons[colorScheme]}
      label={`Colours: ${names[colorScheme]}. Switch to ${names[following]}`}
      onClick={() => setColorScheme(following)}
    />
  );
}
