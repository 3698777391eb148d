// Runs rows through one node in n8n's engine. Reports the duration, the failed rows and the memory use.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { INodeParameters, INodeType } from 'n8n-workflow';
import { createN8nEngine, type WorkflowJson } from '../../engines/n8n/index.ts';

/** Our node, or n8n's HTTP Request node in batches of one per second. Without a batch size, all at once. */
export interface RowsContender {
  name: string;
  node: 'ours' | 'HTTP Request';
  batchSize?: number;
}

/** Input of the child process. */
export interface RowsJob {
  contender: RowsContender;
  rows: number;
  /** Folder with an installed n8n, for its HTTP Request node. */
  serverDir: string;
  credential: { baseUrl: string; apiKey: string };
}

/** Result of the child process. */
export interface RowsOutcome {
  seconds: number;
  /** Rows without a code. */
  failed: number;
  /** Peak resident memory minus the memory before the run, in bytes. */
  memoryGrowth: number;
}

const NODE = 'Create';
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

async function main({ contender, rows, serverDir, credential }: RowsJob): Promise<RowsOutcome> {
  const engine = await createN8nEngine({
    packageDir: fileURLToPath(new URL('../../packages/n8n-nodes-qr-service', import.meta.url)),
    credentials: { qrServiceApi: credential },
    ...(contender.node === 'ours' ? {} : { otherNodes: { [HTTP_REQUEST]: httpRequestNode(serverDir) } }),
  });
  const { baseUrl: url, apiKey } = credential;
  const workflow =
    contender.node === 'ours'
      ? workflowOf('n8n-nodes-qr-service.qrService', 1, OUR_CREATE)
      : workflowOf(HTTP_REQUEST, 4.2, httpCreate({ url, apiKey }, contender.batchSize));
  const triggerItems = Array.from({ length: rows }, (_, i) => ({
    name: `Row ${i}`,
    targetUrl: `https://example.com/${i}`,
  }));
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  const { data } = await engine.runWorkflow(workflow, { triggerItems });
  const seconds = (performance.now() - startedAt) / 1000;
  const codes = new Set(
    (data[NODE] ?? []).map(({ json }) => json['id']).filter((id) => typeof id === 'string'),
  );
  return { seconds, failed: rows - codes.size, memoryGrowth: process.resourceUsage().maxRSS * 1024 - before };
}

/** Loads the node from the n8n server that the end-to-end tests install. */
function httpRequestNode(serverDir: string): INodeType {
  const require = createRequire(join(serverDir, 'package.json'));
  const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
    HttpRequest: new () => { nodeVersions: Record<string, INodeType> };
  };
  return new HttpRequest().nodeVersions['4.2'] as INodeType;
}

function workflowOf(type: string, typeVersion: number, parameters: object): WorkflowJson {
  const node = (id: string, of: Partial<WorkflowJson['nodes'][number]>) => ({
    id,
    name: id,
    type: '',
    typeVersion: 1,
    position: [0, 0] as [number, number],
    parameters: {},
    ...of,
  });
  return {
    nodes: [
      node('Rows', { type: 'n8n-nodes-base.manualTrigger' }),
      node(NODE, { type, typeVersion, parameters, onError: 'continueRegularOutput' } as object),
    ],
    connections: { Rows: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
  };
}

/** Creates an unpublished code for each row with our node. */
const OUR_CREATE: INodeParameters = {
  resource: 'qrCode',
  operation: 'create',
  publish: false,
  name: '={{ $json.name }}',
  targetUrl: '={{ $json.targetUrl }}',
};

/** Does the same with n8n's HTTP Request node. */
function httpCreate({ url, apiKey }: { url: string; apiKey: string }, batchSize?: number): INodeParameters {
  return {
    method: 'POST',
    url: `${url}/v1/public-api/qr`,
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${apiKey}` }] },
    sendBody: true,
    specifyBody: 'json',
    jsonBody:
      '={{ JSON.stringify({ name: $json.name, mode: "dynamic", contentType: "url", content: { targetUrl: $json.targetUrl } }) }}',
    options: batchSize === undefined ? {} : { batching: { batch: { batchSize, batchInterval: 1000 } } },
  };
}

const job = process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url) && job !== undefined) {
  const outcome = await main(JSON.parse(job) as RowsJob);
  process.send?.(outcome, undefined, undefined, () => process.exit(0));
}
