/** An id as the client library writes it. */
export type RequestId = number | string;

/** The hub's requests to one server that have no answer yet, and its answers to the server. */
export type OpenRequests = {
  add(id: RequestId, method: string): void;
  /** The method of the request; undefined if there is none of this id. */
  findMethod(id: unknown): string | undefined;
  remove(id: unknown): void;
  /** Counts an answer of the hub to the server until it has been sent. */
  recordAnswer(sent: Promise<unknown>): void;
  countAnswers(): number;
};

export function createOpenRequests(): OpenRequests {
  const methods = new Map<unknown, string>();
  let answers = 0;
  return {
    add: (id, method) => void methods.set(id, method),
    findMethod: (id) => methods.get(id),
    remove: (id) => void methods.delete(id),
    recordAnswer(sent) {
      answers += 1;
      const end = () => {
        answers -= 1;
      };
      sent.then(end, end);
    },
    countAnswers: () => answers,
  };
}
