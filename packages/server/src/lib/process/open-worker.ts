type Listener = {
  onMessage(message: unknown): void;
  /** The worker did not start, or it died. */
  onFailure(cause: unknown): void;
};

/**
 * Starts a worker thread at an address from `toWorkerUrl`. Each failure is reported: the worker does
 * not start, throws, sends what cannot be read, or ends.
 */
export function openWorker(url: URL, { onMessage, onFailure }: Listener): Worker {
  const worker = new Worker(url, { smol: true, ref: false });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = (event) => onFailure(new Error(event.message));
  worker.onmessageerror = () => onFailure(new Error("A message of the worker could not be read."));
  worker.addEventListener("close", () => onFailure(new Error("The worker ended.")));
  return worker;
}

/**
 * The address of a worker's file beside a module. In a bundle, the file is JavaScript. A compiled
 * program finds it under both names.
 */
export function toWorkerUrl(moduleUrl: string, name: string): URL {
  const extension = moduleUrl.endsWith(".js") ? "js" : "ts";
  return new URL(`./${name}.${extension}`, moduleUrl);
}
