import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { verifyWebhook, type QrServiceClient, type WebhookSubscription } from '@qr-service/core';
import { describeError } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import type { Ledger } from '../http/Ledger.ts';
import { mapTexts, redactor } from '../http/redact.ts';
import type { Delivery } from './Delivery.ts';
import { diagnoseDelivery } from './diagnoseDelivery.ts';
import { parseEvent } from './diagnoseEvent.ts';

/** Port that the user's tunnel leads to, unless another is given. */
export const DEFAULT_WEBHOOK_PORT = 4030;
/** How long to wait for the delivery, in milliseconds. */
export const DELIVERY_WAIT_MS = 90_000;
/** How long to wait for a valid delivery after one that isn't, in milliseconds. */
const OTHERS_WAIT_MS = 5000;
const EVENTS: readonly string[] = ['qr.created', 'qr.published'];

/** Options of `receiveDelivery`. */
export interface ReceiveOptions {
  /** Its transport is watched by the ledger. */
  client: QrServiceClient;
  ledger: Ledger;
  /** Public address of the user's tunnel. */
  url: string;
  /** Where the tunnel leads to. It is closed at the end. */
  receiver: Receiver;
  headerPrefix: string;
  /** Name of the code that causes the event. */
  codeName: string;
  /** Ends the wait. What was created is removed all the same. */
  signal: AbortSignal;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
  /**
   * In milliseconds.
   * @default DELIVERY_WAIT_MS
   */
  waitMs?: number;
  /**
   * How long to wait for a valid delivery after one that isn't, in milliseconds.
   * @default OTHERS_WAIT_MS
   */
  othersMs?: number;
  /**
   * Requests the public address, to see whether the tunnel leads here. Resolves once a response arrived.
   * @default fetch
   */
  knock?: (url: string, signal: AbortSignal) => Promise<unknown>;
  /** Called with what is happening, as a whole sentence. */
  onProgress: (sentence: string) => void;
}

/** The port is in use. The message is a whole sentence. */
export class WebhookPortError extends Error {
  override readonly name = 'WebhookPortError';
}

/**
 * Receives one real delivery through the user's tunnel and checks it: subscribes, creates and publishes a code to cause an
 * event, waits, and removes the subscription. What goes wrong is a finding.
 */
export async function receiveDelivery(options: ReceiveOptions): Promise<Finding[]> {
  const { client, ledger, url, receiver, onProgress, signal } = options;
  const isStopped = () => signal.aborted;
  const findings: Finding[] = [];
  let subscription: WebhookSubscription | undefined;
  try {
    onProgress(`Checking whether ${hostOf(url)} leads to port ${receiver.port} of this machine.`);
    const tunnel = await checkTunnel(receiver, options);
    if (isStopped()) return [];
    onProgress('Subscribing, and creating a code to cause an event.');
    subscription = await client.webhooks.subscribe({ url, eventTypes: EVENTS });
    if (isStopped()) return [];
    const code = await client.qr.create({
      name: options.codeName,
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: 'https://example.com/' },
    });
    // The creation is an event, too.
    if (!isStopped()) await client.qr.publish(code.id).catch(() => undefined);
    const received = await waitForDelivery(receiver, subscription, options);
    if (received !== undefined) findings.push({ ...ROUTE, verdict: 'works', value: 'received' }, ...received);
    else if (!isStopped()) findings.push(nothingCame(options, receiver, tunnel));
  } catch (error) {
    if (!isStopped()) findings.push(notCaused(error, subscription !== undefined));
  } finally {
    await receiver.close();
    // Not with the signal: Ctrl-C is when it matters most.
    if (subscription !== undefined) await client.webhooks.unsubscribe(subscription.id).catch(() => undefined);
  }
  return mapTexts(findings, redactor(ledger.secrets));
}

const ROUTE = { id: 'webhooks.delivery', area: 'Webhooks', title: 'Delivery through the tunnel' } as const;

function diagnose(
  delivery: Delivery,
  { secret }: WebhookSubscription,
  { headerPrefix, now }: ReceiveOptions,
): Finding[] {
  return diagnoseDelivery({ delivery, secret, headerPrefix, now, isLive: true });
}

function notCaused(error: unknown, isSubscribed: boolean): Finding {
  const { message, description } = describeError(error);
  const step = isSubscribed ? 'No event could be caused' : 'No subscription could be created';
  const explanation = `${step}: ${message} ${description}`.trim();
  return { ...ROUTE, verdict: 'fails', value: 'not sent', explanation };
}

/** What became of the request to the tunnel. `blocked`: this machine couldn't send it, so nothing is known. */
type Tunnel = 'works' | 'leads elsewhere' | 'blocked';

/** Header of the probe's own request through the tunnel. */
const KNOCK_HEADER = 'x-probe-knock';
const KNOCK_MS = 10_000;

async function checkTunnel(
  receiver: Receiver,
  { url, knock = knockWithFetch, signal }: ReceiveOptions,
): Promise<Tunnel> {
  try {
    await knock(url, AbortSignal.any([signal, AbortSignal.timeout(KNOCK_MS)]));
    return receiver.knocks() > 0 ? 'works' : 'leads elsewhere';
  } catch {
    return receiver.knocks() > 0 ? 'works' : 'blocked';
  }
}

async function knockWithFetch(url: string, signal: AbortSignal): Promise<void> {
  const headers = { [KNOCK_HEADER]: '1' };
  const response = await fetch(url, { method: 'HEAD', headers, signal, redirect: 'manual' });
  await response.body?.cancel();
}

/**
 * What the first valid delivery shows, or else the first one; undefined when none comes in time or the user stops it.
 * A subscription of an earlier run that the service couldn't remove delivers here, too, with another secret.
 */
async function waitForDelivery(
  receiver: Receiver,
  subscription: WebhookSubscription,
  options: ReceiveOptions,
): Promise<Finding[] | undefined> {
  const { waitMs = DELIVERY_WAIT_MS, othersMs = OTHERS_WAIT_MS, signal, onProgress, now } = options;
  const end = now() + waitMs;
  const tell = () => {
    const left = Math.max(0, Math.ceil((end - now()) / 1000));
    onProgress(
      `Waiting for the delivery of qr.created at ${hostOf(options.url)}, up to ${left} s more. Ctrl-C stops.`,
    );
  };
  tell();
  const ticker = setInterval(tell, 1000);
  let until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  let first: Delivery | undefined;
  try {
    for (let at = 0; ; at++) {
      const delivery = await receiver.next(until, at);
      if (delivery === undefined) return first && diagnose(first, subscription, options);
      const type = validType(delivery, subscription, options);
      // A service may send a test of its own first, which shows nothing about events.
      if (type !== undefined && !EVENTS.includes(type)) continue;
      if (type !== undefined) return diagnose(delivery, subscription, options);
      if (first === undefined) until = AbortSignal.any([until, AbortSignal.timeout(othersMs)]);
      first ??= delivery;
    }
  } finally {
    clearInterval(ticker);
  }
}

/** Type of the event of a delivery that the connector accepts; undefined if it doesn't. */
function validType(
  { headers, body }: Delivery,
  { secret }: WebhookSubscription,
  { headerPrefix, now }: ReceiveOptions,
): string | undefined {
  try {
    const input = { rawBody: body, headers: headers as [string, string][], secret, headerPrefix, now };
    return verifyWebhook(input).event.type;
  } catch {
    return undefined;
  }
}

function nothingCame(
  { url, waitMs = DELIVERY_WAIT_MS }: ReceiveOptions,
  receiver: Receiver,
  tunnel: Tunnel,
): Finding {
  const local = `http://127.0.0.1:${receiver.port}`;
  const other = receiver.others();
  const hints: Record<Tunnel, string> = {
    works: `The tunnel leads here, so the service hasn't sent one that arrived. Look at the subscription's deliveries in the service's app: it may be slow, or refused by ${hostOf(url)}.`,
    'leads elsewhere': `${hostOf(url)} responds, but not from here: start the tunnel to ${local} and run this again.`,
    blocked: `This machine couldn't reach ${hostOf(url)}, either: check that the tunnel runs and leads to ${local}.`,
  };
  const seen = other === 0 ? '' : ` Other requests that came here and aren't deliveries: ${other}.`;
  return {
    ...ROUTE,
    verdict: tunnel === 'works' ? 'fails' : 'unknown',
    value: 'nothing came',
    explanation: `No delivery came within ${Math.round(waitMs / 1000)} s. ${hints[tunnel]}${seen}`,
  };
}

const hostOf = (url: string): string => new URL(url).host;

/** A server on this machine that keeps deliveries as they are received. */
export interface Receiver {
  port: number;
  /** Requests that the probe sent itself. */
  knocks: () => number;
  /** Other requests that aren't deliveries. */
  others: () => number;
  /** The delivery with an index, from 0; undefined when the signal is aborted before. */
  next: (signal: AbortSignal, at?: number) => Promise<Delivery | undefined>;
  close: () => Promise<void>;
}

/** Whether a request is a delivery, with whatever headers the service sends. */
function isDelivery({ headers, body }: Delivery): boolean {
  return headers.some(([name]) => DELIVERY_HEADER.test(name)) || typeof parseEvent(body) !== 'string';
}

/** Any of a delivery's own headers, whatever the prefix. */
const DELIVERY_HEADER = /^x-.{1,60}-(?:signature|timestamp|delivery|event)\b/i;
/** Longest body that is kept, in bytes. */
const LONGEST_BODY = 1_000_000;

/**
 * Starts a receiver.
 * @param port on this machine; 0 for any free one
 * @throws WebhookPortError
 */
export async function startReceiver(port: number): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  let [knocks, others] = [0, 0];
  let notify = () => undefined as unknown;
  const server = createServer((request, response) => {
    if (request.headers[KNOCK_HEADER] !== undefined) knocks++;
    else if (request.method !== 'POST') others++;
    else {
      void readDelivery(request).then(
        (delivery) => {
          if (isDelivery(delivery)) deliveries.push(delivery);
          else others++;
          // Otherwise the service would repeat it for hours.
          response.writeHead(204).end();
          notify();
        },
        () => {
          others++;
          response.writeHead(413).end();
        },
      );
      return;
    }
    request.resume();
    response.writeHead(204).end();
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    knocks: () => knocks,
    others: () => others,
    next: (signal, at = 0) =>
      new Promise((resolve) => {
        const settle = () => {
          if (deliveries.length <= at && !signal.aborted) return;
          signal.removeEventListener('abort', settle);
          resolve(deliveries[at]);
        };
        notify = settle;
        signal.addEventListener('abort', settle);
        settle();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new WebhookPortError(
          error.code === 'EADDRINUSE'
            ? `Port ${port} is in use by another program. Choose another with --port, and point the tunnel to it.`
            : `Port ${port} can't be used (${String(error.code)}). Choose another with --port.`,
        ),
      ),
    );
    // Only this machine: the tunnel runs here.
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function readDelivery(request: IncomingMessage): Promise<Delivery> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_BODY) throw new Error('The body is too long.');
    chunks.push(chunk);
  }
  const { rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  );
  return { headers, body: Buffer.concat(chunks) };
}
