import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as takenEvents from '../nodes/QrServiceTrigger/takenEvents.ts';

type ClaimEvent = typeof takenEvents.claimEvent;
type Status = ReturnType<ClaimEvent>;

const HOUR_MS = 3_600_000;

let claimEvent: ClaimEvent;
let server: Server;
let arrivals: { status: Status; response: ServerResponse }[];

beforeEach(async () => {
  // A process without a memory.
  await jest.isolateModulesAsync(async () => {
    ({ claimEvent } = await import('../nodes/QrServiceTrigger/takenEvents.ts'));
  });
  arrivals = [];
  server = createServer((request, response) => {
    arrivals.push({ status: claimEvent(request.url!, response), response });
    server.emit('arrival');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a delivery. Returns it once it is received, without a response yet. */
async function arrive(key: string, signal?: AbortSignal) {
  const arrived = once(server, 'arrival');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${key}`;
  const responded = fetch(url, { signal: signal ?? null }).then((fetched) => fetched.text());
  responded.catch(() => undefined);
  await arrived;
  return { ...arrivals.at(-1)!, responded };
}

/** Sends a delivery that n8n responds to immediately. */
async function deliver(key: string, code = 200): Promise<Status> {
  const { status, response, responded } = await arrive(key);
  response.writeHead(code).end();
  await responded;
  return status;
}

test('accepts a retry of an event that n8n failed to store', async () => {
  expect(await deliver('event1', 500)).toBe('new');
  expect(await deliver('event1', 300)).toBe('new');
  expect(await deliver('event1', 200)).toBe('new');
  expect(await deliver('event1')).toBe('duplicate');
});

test('reports that n8n is still storing an event until it has responded', async () => {
  const first = await arrive('event1');
  expect(first.status).toBe('new');
  expect(await deliver('event1', 503)).toBe('storing');
  first.response.writeHead(200).end();
  expect(await deliver('event1')).toBe('duplicate');
});

describe('an event whose sender has disconnected', () => {
  async function disconnected(): Promise<ServerResponse> {
    const patience = new AbortController();
    const { response } = await arrive('event1', patience.signal);
    const gone = once(response, 'close');
    patience.abort();
    await gone;
    return response;
  }

  test('is a duplicate once n8n has stored it', async () => {
    const response = await disconnected();
    expect(await deliver('event1', 503)).toBe('storing');
    response.writeHead(200).end();
    expect(await deliver('event1')).toBe('duplicate');
  });

  test('is new if n8n could not store it', async () => {
    const response = await disconnected();
    response.statusCode = 500;
    response.end();
    expect(await deliver('event1')).toBe('new');
    expect(await deliver('event1')).toBe('duplicate');
  });
});

describe('the memory', () => {
  const accepted = { statusCode: 200, writableEnded: true, once: () => undefined };

  test('keeps an event for a day', () => {
    expect(claimEvent('event1', accepted, 0)).toBe('new');
    expect(claimEvent('event1', accepted, 23 * HOUR_MS)).toBe('duplicate');
    expect(claimEvent('event1', accepted, 24 * HOUR_MS)).toBe('new');
  });

  test('forgets the oldest events when there are too many', () => {
    for (let i = 0; i < 25_000; i++) claimEvent(`event${i}`, accepted, 0);
    expect(claimEvent('event5000', accepted, 0)).toBe('new');
    expect(claimEvent('event5002', accepted, 0)).toBe('duplicate');
    expect(claimEvent('event24999', accepted, 0)).toBe('duplicate');
  });
});
