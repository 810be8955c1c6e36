import type { MetaTool } from "./define-meta-tool.ts";
import { hubDecrypt } from "./hub-decrypt.ts";
import { hubEncrypt } from "./hub-encrypt.ts";
import { hubExecute } from "./hub-execute.ts";
import { hubGet } from "./hub-get.ts";
import { hubInfo } from "./hub-info.ts";
import { hubList } from "./hub-list.ts";
import { hubSearch } from "./hub-search.ts";

/** The tools that clients see, in the order in which they see them. Rows never change it. */
export const metaTools: readonly MetaTool[] = [
  hubSearch,
  hubList,
  hubGet,
  hubExecute,
  hubInfo,
  hubEncrypt,
  hubDecrypt,
];
