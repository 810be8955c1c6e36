import { hubCallerId } from "@hub/contract/hub-caller.ts";
import type { Caller } from "../caller.ts";
import type { Actor } from "../changes/actor.ts";

/** The fixed id of the local admin. Value tokens made for it open only for it. */
export const LOCAL_ADMIN_ID = "00000000-0000-4000-8000-00000000ad10";

/**
 * The caller of stdio and the command line: read access to the data folder gives full control
 * anyway.
 */
export const localAdmin: Caller = {
  userId: LOCAL_ADMIN_ID,
  email: "local-admin",
  name: "Local admin",
  role: "admin",
  tags: new Set(),
  tokenId: null,
  principal: { kind: "stdio", id: "" },
};

/** The fixed id of the hub itself in the records of its own calls. No user has it. */
export const HUB_CALLER_ID = hubCallerId;

/** The author of changes that the hub makes by itself. */
export const hubActor: Actor = {
  userId: localAdmin.userId,
  email: "hub",
  tokenId: null,
  via: "hub",
  ip: null,
};

/** The author of changes from the command line. */
export const commandLineActor: Actor = {
  userId: localAdmin.userId,
  email: localAdmin.email,
  tokenId: null,
  via: "command line",
  ip: null,
};
