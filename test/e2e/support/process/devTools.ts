import type { Runtime } from 'node:inspector';

/** A garbage collection takes seconds on a busy machine. */
const TIMEOUT_MS = 60_000;

/** A connection to the DevTools protocol of a process that was started with `--inspect`. */
export interface DevTools {
  /** @throws Error when the process returns an error or doesn't respond in time */
  send<Result>(method: string, params?: object): Promise<Result>;
  /** Runs a self-contained function in the process. Returns its result, serialized as JSON. */
  run<Result>(work: () => Result): Promise<Result>;
  close(): void;
}

interface Message {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

/** Connects to the process that is inspected on a local port. */
export async function connectDevTools(port: number): Promise<DevTools> {
  const socket = await openSocket(port);
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data as string) as Message;
    const caller = id === undefined ? undefined : pending.get(id);
    if (error === undefined) caller?.resolve(result);
    else caller?.reject(new Error(error.message));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of pending.values()) reject(new Error('The inspected process is gone.'));
  });

  const devTools: DevTools = {
    async send<Result>(method: string, params: object = {}): Promise<Result> {
      const id = ++lastId;
      const reply = Promise.withResolvers<unknown>();
      pending.set(id, reply);
      socket.send(JSON.stringify({ id, method, params }));
      AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () =>
        reply.reject(new Error(`${method} got no response within ${TIMEOUT_MS / 1000} s.`)),
      );
      return (await reply.promise.finally(() => pending.delete(id))) as Result;
    },
    async run<Result>(work: () => Result) {
      const { result, exceptionDetails } = await devTools.send<Runtime.EvaluateReturnType>(
        'Runtime.evaluate',
        { expression: `(${work.toString()})()`, returnByValue: true },
      );
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value as Result;
    },
    close: () => socket.close(),
  };
  return devTools;
}

async function openSocket(port: number): Promise<WebSocket> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`Nothing is inspected on port ${port}.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`Can't connect to port ${port}.`)));
  });
  return socket;
}
