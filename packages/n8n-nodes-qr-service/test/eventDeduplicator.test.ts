import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { EventDeduplicator, type EventStatus } from '../nodes/QrServiceTrigger/EventDeduplicator.ts';

/** A delivery in progress: its status, and the response that the test sends later. */
interface Arrival {
  status: Promise<EventStatus>;
  response: ServerResponse;
}

const HOUR_MS = 3_600_000;

let deduplicator: EventDeduplicator;
let server: Server;
let arrivals: Arrival[];

beforeEach(async () => {
  deduplicator = new EventDeduplicator();
  arrivals = [];
  server = createServer((request, response) => {
    arrivals.push({ status: deduplicator.claim(request.url!, response), response });
    server.emit('arrival');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a delivery. Returns it once it is received, without a response yet. */
async function arrive(key: string, signal?: AbortSignal): Promise<Arrival & { responded: Promise<number> }> {
  const arrived = once(server, 'arrival');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${key}`;
  const responded = fetch(url, { signal: signal ?? null }).then(async (fetched) => {
    await fetched.text();
    return fetched.status;
  });
  responded.catch(() => undefined);
  await arrived;
  return { ...arrivals.at(-1)!, responded };
}

/** Sends a delivery that n8n responds to immediately. */
async function deliver(key: string, code = 200): Promise<EventStatus> {
  const { status, response, responded } = await arrive(key);
  const found = await status;
  response.writeHead(code).end();
  await responded;
  return found;
}

describe('EventDeduplicator', () => {
  test('detects a duplicate event', async () => {
    expect(await deliver('event1')).toBe('new');
    expect(await deliver('event1')).toBe('duplicate');
    expect(await deliver('event2')).toBe('new');
  });

  test('accepts a retry of an event that n8n failed to store', async () => {
    expect(await deliver('event1', 500)).toBe('new');
    expect(await deliver('event1', 300)).toBe('new');
    expect(await deliver('event1', 200)).toBe('new');
    expect(await deliver('event1')).toBe('duplicate');
  });

  test('holds a duplicate until the first gets its response, and accepts it if the first fails', async () => {
    const order: string[] = [];
    const first = await arrive('event1');
    const [second, third] = [await arrive('event1'), await arrive('event1')];
    void second.status.then((status) => order.push(`the second is ${status}`));
    void third.status.then((status) => order.push(`the third is ${status}`));
    // The delivery of another event takes long enough for the duplicates to be decided if they didn't wait.
    const respond = async (response: ServerResponse, status: number) => {
      await deliver(`another event before ${status}`);
      order.push(`responded ${status}`);
      response.writeHead(status).end();
    };

    expect(await first.status).toBe('new');
    await respond(first.response, 500);
    expect(await second.status).toBe('new');
    await respond(second.response, 200);
    expect(await third.status).toBe('duplicate');
    expect(order).toEqual(['responded 500', 'the second is new', 'responded 200', 'the third is duplicate']);
  });

  test('returns undecided while n8n still stores an event whose sender has disconnected', async () => {
    const patience = new AbortController();
    const first = await arrive('event1', patience.signal);
    const gone = once(first.response, 'close');
    patience.abort();
    await gone;
    expect(await deliver('event1', 503)).toBe('undecided');
    first.response.writeHead(200).end();
    expect(await deliver('event1')).toBe('duplicate');
  });

  test('accepts a retry when n8n did not store an event whose sender has disconnected', async () => {
    const patience = new AbortController();
    const first = await arrive('event1', patience.signal);
    const gone = once(first.response, 'close');
    patience.abort();
    await gone;
    first.response.statusCode = 500;
    first.response.end();
    expect(await deliver('event1')).toBe('new');
    expect(await deliver('event1')).toBe('duplicate');
  });

  test('forgets an event after a day', async () => {
    const accepted = { statusCode: 200, writableEnded: true, destroyed: true, once: () => undefined };
    expect(await deduplicator.claim('event1', accepted, 0)).toBe('new');
    expect(await deduplicator.claim('event1', accepted, 23 * HOUR_MS)).toBe('duplicate');
    expect(await deduplicator.claim('event1', accepted, 24 * HOUR_MS)).toBe('new');
  });

  test('forgets the oldest events when there are too many', async () => {
    const accepted = { statusCode: 200, writableEnded: true, destroyed: true, once: () => undefined };
    for (let i = 0; i < 25_000; i++) await deduplicator.claim(`event${i}`, accepted, 0);
    expect(await deduplicator.claim('event5000', accepted, 0)).toBe('new');
    expect(await deduplicator.claim('event5002', accepted, 0)).toBe('duplicate');
    expect(await deduplicator.claim('event24999', accepted, 0)).toBe('duplicate');
  });

  test('detects any number of duplicates of an event', async () => {
    const accepted = { statusCode: 200, writableEnded: true, destroyed: true, once: () => undefined };
    expect(await deduplicator.claim('event1', accepted, 0)).toBe('new');
    const found = new Set<EventStatus>();
    for (let i = 0; i < 50_000; i++) found.add(await deduplicator.claim('event1', accepted, 0));
    expect([...found]).toEqual(['duplicate']);
  });
});
