import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";
import { isServerPage } from "../../api/is-server-page.ts";

type Props = {
  /** An address of the hub, with its search, such as `fix.path` of the API. */
  path: string;
} & Omit<ComponentProps<"a">, "href" | "onClick">;

/** A link to an address that the API names, without loading the app again. */
export function PathLink({ path, ...rest }: Props) {
  const router = useRouter();
  const open = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!isPlain || event.altKey || isServerPage(path)) return;
    event.preventDefault();
    router.history.push(path);
  };
  return <a {...rest} href={path} onClick={open} />;
}
