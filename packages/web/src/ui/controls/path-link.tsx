import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

type Props = { path: string } & Omit<ComponentProps<"a">, "href" | "onClick">;

/** A link to a path that the API answers, such as where something is mended. Opens pages of the app in place. */
export function PathLink({ path, ...rest }: Props) {
  const { history } = useRouter();
  const open = (event: MouseEvent) => {
    const isOwn = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey;
    // The server renders these pages.
    if (isOwn || event.altKey || /^\/(profile\/(?!chat-accounts)|tools|help)/.test(path)) return;
    event.preventDefault();
    history.push(path);
  };
  return <a {...rest} href={path} onClick={open} />;
}
