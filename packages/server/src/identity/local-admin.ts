import type { Caller } from "../caller.ts";
import type { Actor } from "../changes/actor.ts";

/** The local admin's fixed identity: value tokens made for it open only for it. */
export const LOCAL_ADMIN_ID = "00000000-0000-4000-8000-00000000ad10";

/** Whom stdio and the command line act as: whoever can read the data folder rules the hub anyway. */
export const localAdmin: Caller = {
  userId: LOCAL_ADMIN_ID,
  email: "local-admin",
  name: "Local admin",
  role: "admin",
  tags: new Set(),
  tokenId: null,
};

/** The author of changes that are made on the command line. */
export const commandLineActor: Actor = {
  userId: localAdmin.userId,
  email: localAdmin.email,
  tokenId: null,
  via: "command line",
  ip: null,
};
