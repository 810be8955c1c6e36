import type { MetaTool } from "./define-meta-tool.ts";
import { hubDecrypt } from "./hub-decrypt.ts";
import { hubEncrypt } from "./hub-encrypt.ts";
import { hubExecute } from "./hub-execute.ts";
import { hubGet } from "./hub-get.ts";
import { hubInfo } from "./hub-info.ts";
import { hubList } from "./hub-list.ts";
import { hubSearch } from "./hub-search.ts";

/** The tools that clients see, in the specification's order. Rows never change the list. */
export const metaTools: readonly MetaTool[] = [
  hubList,
  hubSearch,
  hubGet,
  hubExecute,
  hubInfo,
  hubEncrypt,
  hubDecrypt,
];
