import { randomUUID } from 'node:crypto';
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CreateServer } from '../server/createServerFactory.ts';

/** Maximum size of a message, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** How long calls in progress may take after the client has closed stdin, in milliseconds. */
const FINISH_MS = 5_000;

/**
 * Stdin and stdout, until the client closes either of them or sends a message that is too large. Unlike the SDK's own
 * transport, it answers what isn't a message, accepts the batches of protocol 2025-03-26, and answers the requests in
 * progress when stdin ends, such as those of `printf … | qr-service-mcp`.
 */
class StdioConnection implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly closed: Promise<void>;
  readonly #stopped: AbortSignal;
  readonly #unanswered = new Set<RequestId>();
  /** The start of a line. */
  #parts: Buffer[] = [];
  #onAnswered: () => void = () => undefined;
  #end: () => void = () => undefined;
  #isClosed = false;

  constructor(stopped: AbortSignal) {
    this.#stopped = stopped;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  start(): Promise<void> {
    const { stdin, stdout } = process;
    const fail = (error: Error) => this.onerror?.(error);
    stdin.on('data', (chunk: Buffer) => this.#read(chunk));
    stdin.on('error', fail);
    stdin.once('end', () => void this.#finish());
    stdin.once('close', () => {
      if (!stdin.readableEnded) void this.close();
    });
    stdout.on('error', (error: Error) => {
      if (!this.#isClosed) fail(error);
      void this.close();
    });
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if ('id' in message && !('method' in message)) this.#settle(message.id);
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      process.stdin.pause();
      this.onclose?.();
      this.#end();
    }
    return Promise.resolve();
  }

  /** Resolves when the message is written. */
  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The connection is closed.'));
    return new Promise((resolve, reject) => {
      process.stdout.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1 && !this.#isClosed; end = chunk.indexOf('\n', start)) {
      this.#parts.push(chunk.subarray(start, end));
      start = end + 1;
      this.#receiveLine();
    }
    this.#parts.push(chunk.subarray(start));
    if (this.#parts.reduce((size, { length }) => size + length, 0) <= MAX_BYTES) return;
    this.onerror?.(new Error(`A message exceeded the maximum size of ${MAX_BYTES} bytes.`));
    void this.close();
  }

  #receiveLine(): void {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    if (line.trim() === '') return;
    let messages: unknown[];
    try {
      messages = [JSON.parse(line)].flat() as unknown[];
    } catch {
      this.#refuse(PARSE_ERROR, 'The line is not valid JSON.');
      return;
    }
    if (messages.length === 0) this.#refuse(INVALID_REQUEST, 'The batch is empty.');
    for (const message of messages) this.#receive(message);
  }

  #receive(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.', idOf(value));
      return;
    }
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen')
      this.#unanswered.add(message.id);
    if (isJSONRPCNotification(message) && message.method.startsWith('notifications/cancel'))
      this.#settle(message.params?.['requestId'] as RequestId);
    this.onmessage?.(message);
  }

  /** Answers a line that isn't a message. */
  #refuse(code: number, message: string, id: RequestId | null = null): void {
    this.onerror?.(new Error(`${message} It was ignored.`));
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined);
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }

  /** Closes the connection once the requests in progress are answered, after a few seconds at most. */
  async #finish(): Promise<void> {
    this.#receiveLine();
    if (this.#unanswered.size > 0)
      await new Promise<void>((resolve) => {
        this.#onAnswered = resolve;
        setTimeout(resolve, FINISH_MS);
        this.#stopped.addEventListener('abort', () => resolve());
      });
    await this.close();
  }
}

/** The ID of what may be a request, as its client waits for the answer. */
function idOf(value: unknown): RequestId | null {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Serves one client over stdin and stdout until the connection ends or `stopped` is aborted. */
export async function serveOverStdio(
  createServer: CreateServer,
  { log, stopped }: { log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  const session = { id: randomUUID() };
  const transport = new StdioConnection(stopped);
  if (stopped.aborted) return;
  const handle = serveStdio(() => createServer(session), {
    transport,
    onerror: ({ message }) => log(message),
  });
  stopped.addEventListener('abort', () => void handle.close());
  await transport.closed;
  await handle.close();
}
