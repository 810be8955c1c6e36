import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { Hub, HubReply } from "./ask-hub.ts";
import { paramsBytesMax } from "./script-limits.ts";

/** The hub as the setup of a script sees it. */
export type ConnectedHub = {
  /** `ask` and `takeComplete`, for the setup. */
  functions: QuickJSHandle[];
  /** `none`: no answer will come. */
  waitForReply(): HubReply | "stop" | "none";
  /** Completes the promise of a question. */
  complete(reply: HubReply): ReturnType<QuickJSContext["callFunction"]>;
};

export function connectHub(ctx: QuickJSContext, hub: Hub): ConnectedHub {
  let complete: QuickJSHandle = ctx.undefined;
  const read = (handle: QuickJSHandle) => {
    // A longer one would be copied before it is refused.
    const length = ctx.getNumber(ctx.getProp(handle, "length"));
    return length > paramsBytesMax ? null : ctx.getString(handle);
  };
  const ask = ctx.newFunction("ask", (kind, target, text, fields) => {
    const texts = [kind, target, text, fields].map(read);
    const [kindText, targetText, questionText, fieldsText] = texts;
    const asked =
      kindText == null || targetText == null || questionText == null || fieldsText == null
        ? tooLong
        : hub.ask({ kind: kindText, target: targetText, text: questionText, fields: fieldsText });
    return typeof asked === "number" ? ctx.newNumber(asked) : ctx.newString(JSON.stringify(asked));
  });
  const takeComplete = ctx.newFunction("takeComplete", (given) => {
    complete = given.dup();
  });
  return {
    functions: [ask, takeComplete],
    waitForReply: () => (hub.hasOpen() ? hub.waitForReply() : "none"),
    complete({ id, isError, text }) {
      const idHandle = ctx.newNumber(id);
      const textHandle = ctx.newString(text);
      const isErrorHandle = isError ? ctx.true : ctx.false;
      try {
        return ctx.callFunction(complete, ctx.undefined, idHandle, isErrorHandle, textHandle);
      } finally {
        // The text would take the script's memory up to its end.
        textHandle.dispose();
      }
    },
  };
}

const tooLong = {
  code: "invalid_params",
  message: `The params of a call may have at most ${paramsBytesMax / 1024} KiB of JSON.`,
};
