import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  isJSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CreateServer } from '../server/createServerFactory.ts';
import { showsPages } from '../server/resultsPage.ts';
import { readMessages } from './messages.ts';

/** The protocol version that requests name. Earlier ones are negotiated once, by `initialize`. */
const NAMED_VERSION = '2026-07-28';
const KNOWN_VERSIONS = [NAMED_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];

/** Serves one client over stdin and stdout until it closes one of them or `stopped` is aborted. */
export async function serveOverStdio(
  createServer: CreateServer,
  { log, stopped }: { log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  if (stopped.aborted) return;
  const session = { id: randomUUID(), showsPages: false };
  const transport = new StdioServerTransport(Readable.from(readMessages(process.stdin)));
  const onerror = ({ message }: Error) => log(message);
  const handle = serveStdio(() => createServer(session), { transport, onerror });
  stopped.addEventListener('abort', () => void handle.close());
  const { onclose, onmessage } = transport;
  // The SDK only checks the version that the first request names.
  transport.onmessage = (message) => {
    session.showsPages ||= showsPages(message);
    if (!isJSONRPCRequest(message)) return onmessage?.(message);
    const { id, params } = message;
    const requested = params?._meta?.[PROTOCOL_VERSION_META_KEY];
    if (typeof requested !== 'string' || KNOWN_VERSIONS.includes(requested)) return onmessage?.(message);
    const versions = { supported: [NAMED_VERSION], requested };
    const { code, message: text, data } = new UnsupportedProtocolVersionError(versions);
    transport.send({ jsonrpc: '2.0', id, error: { code, message: text, data } }).catch(() => undefined);
  };
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
}
