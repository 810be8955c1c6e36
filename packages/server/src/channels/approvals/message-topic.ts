import type { User } from "../../store/users/users-table.ts";
import type { ApprovalCard } from "../chat-adapter.ts";

/** What a message is about, as it is now. */
export type MessageTopic = {
  state: string;
  isOpen: boolean;
  mayDecide(user: User): Promise<boolean>;
  makeCard(): Promise<ApprovalCard>;
};
