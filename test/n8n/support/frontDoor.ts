import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActiveTrigger, Delivery, RunResult } from '../../../engines/n8n/index.ts';

/** An HTTP server that hands requests to active triggers, as n8n's does. */
export interface FrontDoor {
  readonly port: number;
  /** What came of every execution that a delivery started. */
  readonly executions: RunResult[];
  /** Every delivery to an open route, as it came. */
  readonly deliveries: Delivery[];
  /** Status of every answer. */
  readonly statuses: number[];
  open(trigger: ActiveTrigger): void;
  shut(trigger: ActiveTrigger): void;
  /** Forgets what came in so far. */
  forget(): void;
  close(): Promise<void>;
}

export async function openFrontDoor(): Promise<FrontDoor> {
  const routes = new Map<string, ActiveTrigger>();
  const executions: RunResult[] = [];
  const deliveries: Delivery[] = [];
  const statuses: number[] = [];
  const path = (trigger: ActiveTrigger) => new URL(trigger.webhookUrl).pathname;

  const server = createServer((request, response) => {
    void (async () => {
      const rawBody = await readBody(request);
      const trigger = routes.get(request.url ?? '');
      if (trigger === undefined) return void response.writeHead(404).end();
      const delivery = { method: request.method ?? 'POST', headers: request.headers, rawBody };
      deliveries.push(delivery);
      const { status, headers, body, execution } = await trigger.receive(delivery);
      if (execution !== undefined) executions.push(await execution);
      statuses.push(status);
      response.writeHead(status, headers).end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    executions,
    deliveries,
    statuses,
    open: (trigger) => void routes.set(path(trigger), trigger),
    shut: (trigger) => void routes.delete(path(trigger)),
    forget() {
      executions.length = deliveries.length = statuses.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
