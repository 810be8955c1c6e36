import type { ApiRequest } from "./api-request.ts";

const encoder = new TextEncoder();

/** An answer that is not read for this long is broken off: it keeps a connection and a page. */
const unreadMsMax = 60_000;

/**
 * An answer of several texts, each of which is made when the client has read the one before. Before each but the
 * first, the request waits in its lane and is checked again, so that the answer ends with the caller's right.
 * The first text is made before this returns, so that an early failure is answered like any other. The request is
 * counted as a stream of the caller: throws `rate_limited` if there are too many.
 */
export async function sendPages(
  req: ApiRequest,
  contentType: string,
  pages: AsyncGenerator<string>,
): Promise<Response> {
  const endCount = req.countStream();
  try {
    const first = await pages.next();
    const body = toStream(req, { pages, first, endCount });
    return new Response(body, { headers: { "Content-Type": contentType } });
  } catch (thrown) {
    endCount();
    throw thrown;
  }
}

type Opened = {
  pages: AsyncGenerator<string>;
  first: IteratorResult<string>;
  endCount(): void;
};

function toStream(req: ApiRequest, { pages, first, endCount }: Opened): ReadableStream<Uint8Array> {
  let next = first;
  const releaseConnection = req.holdOpen();
  let cancelTimer = () => {};
  let isStarted = false;
  let isOver = false;
  function release(): void {
    cancelTimer();
    if (isOver) return;
    isOver = true;
    releaseConnection();
    endCount();
  }
  return new ReadableStream({
    async pull(controller) {
      cancelTimer();
      if (next.done) {
        release();
        controller.close();
        return;
      }
      try {
        if (isStarted) await req.checkAgain();
        isStarted = true;
        if (isOver) return;
        controller.enqueue(encoder.encode(next.value));
        next = await pages.next();
      } catch (thrown) {
        // The connection is broken on purpose, so that the reader does not mistake this for the
        // end.
        release();
        req.recordFault(thrown);
        await pages.return(undefined);
        throw thrown;
      }
      // The client may have left while the page was read.
      if (isOver) return;
      cancelTimer = req.after(unreadMsMax, () => {
        release();
        const unread = new Error("The client did not read its answer");
        controller.error(unread);
        req.recordFault(unread);
        void pages.return(undefined);
      });
    },
    async cancel() {
      release();
      await pages.return(undefined);
    },
  });
}
