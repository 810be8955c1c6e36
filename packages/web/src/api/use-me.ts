import type { User } from "@hub/contract/user.ts";
import { createContext, useContext } from "react";

/** The signed-in user, their rights, and the address for their clients. */
export type Me = { user: User; isAdmin: boolean; csrfToken: string; mcpUrl: string };

/** Provided by the shell, which shows pages only when the user is known. */
export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error("useMe is for components inside the shell");
  return me;
}
