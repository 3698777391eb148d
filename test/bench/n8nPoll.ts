import { fileURLToPath } from 'node:url';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import type { IDataObject, INodeType, IPollFunctions } from 'n8n-workflow';
import { startEmulator } from 'qr-service-emulator';
import { createN8nEngine, type PollTrigger, type WorkflowJson } from '../../engines/n8n/index.ts';
import { deepCopy } from '../../engines/n8n/n8nWorkflow.ts';
import { runConcurrently, compare } from './compare.ts';

const CODES = 10_000;
const LATENCY_MS = 20;
const TRIGGER = 'Trigger';
const BARE = 'bench.barePoll';

/** How fast does the polling trigger emit 10,000 changed codes in n8n's engine, with a service latency of 20 ms? */
export async function n8nPoll(): Promise<void> {
  const emulator = await startEmulator({ rateLimit: { limit: 1_000_000, windowSeconds: 1 } });
  const { url, apiKey, control } = emulator;
  const engine = await createN8nEngine({
    packageDir: fileURLToPath(new URL('../../packages/n8n-nodes-qr-service', import.meta.url)),
    credentials: { qrServiceApi: { baseUrl: url, apiKey } },
    otherNodes: { [BARE]: barePoll(url, apiKey) },
  });
  const ours = workflow('n8n-nodes-qr-service.qrServicePollingTrigger', { watch: 'changedCodes' });
  const bare = workflow(BARE, {});
  const activated = engine.pollTrigger(ours, TRIGGER);
  await activated.activate();
  const client = new QrServiceClient({ baseUrl: url, apiKey, transport: undiciTransport() });
  const content = { targetUrl: 'https://example.com/' };
  await runConcurrently(CODES, 32, () =>
    client.qr.create({ name: 'Code', mode: 'dynamic', contentType: 'url', content }),
  );
  control.failNext({ times: 1_000_000, delayMs: LATENCY_MS });

  const contender = (name: string, open: () => PollTrigger) => ({
    name,
    operations: CODES,
    run: () => pollAll(open()),
  });
  await compare(
    "Polling 10,000 changed codes in n8n's engine, in codes",
    [
      contender('QR Service Polling Trigger', () =>
        engine.pollTrigger(ours, TRIGGER, deepCopy(activated.staticData)),
      ),
      contender("bare paging with n8n's HTTP helper", () => engine.pollTrigger(bare, TRIGGER)),
    ],
    5,
  );
  await emulator.stop();
}

/** Polls until every code was emitted. */
async function pollAll(trigger: PollTrigger): Promise<void> {
  const ids = new Set<unknown>();
  while (ids.size < CODES) {
    const { items, execution } = await trigger.tick();
    if (items.length === 0) throw new Error(`The polls returned ${ids.size} codes.`);
    for (const { json } of items) ids.add(json['id']);
    await execution;
  }
}

function workflow(type: string, parameters: IDataObject): WorkflowJson {
  const node = { id: TRIGGER, name: TRIGGER, type, typeVersion: 1, position: [0, 0], parameters };
  return { nodes: [node as unknown as WorkflowJson['nodes'][number]], connections: {} };
}

/** Reads all pages and emits all rows, without a cursor, error handling or deduplication. */
function barePoll(url: string, apiKey: string): INodeType {
  return {
    description: {
      displayName: 'Bare Poll',
      name: 'barePoll',
      group: ['trigger'],
      version: 1,
      description: 'Reads all pages',
      defaults: { name: 'Bare Poll' },
      polling: true,
      inputs: [],
      outputs: ['main'],
      properties: [],
    },
    async poll(this: IPollFunctions) {
      const rows: IDataObject[] = [];
      let cursor: string | null | undefined;
      do {
        const page = (await this.helpers.httpRequest({
          url: `${url}/v1/public-api/qr`,
          qs: { limit: 100, ...(cursor ? { cursor } : {}) },
          headers: { Authorization: `Bearer ${apiKey}` },
        })) as { data: IDataObject[]; pagination: { nextCursor: string | null } };
        rows.push(...page.data);
        cursor = page.pagination.nextCursor;
      } while (cursor);
      return [this.helpers.returnJsonArray(rows)];
    },
  };
}
