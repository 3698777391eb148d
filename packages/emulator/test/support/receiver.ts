import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

const tasks: (() => unknown)[] = [];

/** Runs the task after the test. What was started last is stopped first. */
export function atEnd(task: () => unknown): void {
  tasks.push(task);
}

afterEach(async () => {
  for (const task of tasks.splice(0).toReversed()) await task();
});

/** A received delivery. */
export interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Returns the status for the nth delivery, counted from 0; null never responds. */
export type RespondToDelivery = (nth: number) => number | null | Promise<number>;

/** Starts a receiver of deliveries on this machine that stops after the test. */
export async function startReceiver(respond: RespondToDelivery = () => 204) {
  const received: Received[] = [];
  let busy = 0;
  let busiest = 0;
  const server = createServer((request, response) => {
    busy += 1;
    busiest = Math.max(busiest, busy);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const nth = received.length;
      const { url = '', headers } = request;
      received.push({ url, headers, body: Buffer.concat(chunks).toString() });
      void Promise.resolve(respond(nth)).then((status) => {
        busy -= 1;
        if (status === null) return;
        response.statusCode = status;
        response.setHeader('Location', 'https://elsewhere.example.com/');
        response.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close().closeAllConnections());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The address is for `connectTo`; the busiest is the most requests that were open at once.
  return { address, received, busiest: () => busiest };
}
