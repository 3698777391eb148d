import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Step } from '../../support/n8n/workflows.ts';

/** The request that a workflow posts once per execution. */
interface Post {
  workflow: string;
  rows: Record<string, unknown>[];
}

/** Counts the rows that n8n's executions post here, so that n8n doesn't have to store them. */
export class Tally {
  readonly #server: Server;
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #keyOf: Record<string, (row: Record<string, unknown>) => string>;

  /** @param keyOf unique key of a row, by workflow name */
  constructor(keyOf: Record<string, (row: Record<string, unknown>) => string>) {
    this.#keyOf = keyOf;
    this.#server = createServer((request, response) => {
      void json(request).then((post) => {
        this.#count(post as Post);
        response.writeHead(204).end();
      });
    });
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  /** Creates the node that posts here, for the end of a workflow. */
  step(workflow: string): Step {
    const { port } = this.#server.address() as AddressInfo;
    return {
      name: 'Tally',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      executeOnce: true,
      parameters: {
        method: 'POST',
        url: `http://127.0.0.1:${port}/`,
        sendBody: true,
        specifyBody: 'json',
        jsonBody: `={{ JSON.stringify({ workflow: '${workflow}', rows: $input.all().map((item) => item.json) }) }}`,
      },
    };
  }

  /** Number of times that each of a workflow's rows was posted, by key. */
  countsOf(workflow: string): ReadonlyMap<string, number> {
    return this.#countsFor(workflow);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #countsFor(workflow: string): Map<string, number> {
    const seen = this.#seen.get(workflow) ?? new Map<string, number>();
    this.#seen.set(workflow, seen);
    return seen;
  }

  #count({ workflow, rows }: Post): void {
    const seen = this.#countsFor(workflow);
    for (const row of rows) {
      const key = this.#keyOf[workflow]!(row);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }
}
