import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INodeExecutionData } from 'n8n-workflow';
import { IMAGE_FORMATS } from '@qr-service/core/connector';
import type { ImageFormat, QrCode } from '@qr-service/core';
import { createN8nEngine, type N8nEngine, type RunResult, type WorkflowJson } from '../engines/n8n/index.ts';
import type { Row, RowProblem } from './readRows.ts';

const PACKAGE = new URL('../packages/n8n-nodes-qr-service/', import.meta.url);

/** A code created from a row, with its images. */
export interface CreatedCode {
  row: Row;
  code: QrCode;
  images: Record<ImageFormat, Buffer>;
}

/** Starts n8n's own engine with the built package. */
export function startN8n(baseUrl: string, apiKey: string): Promise<N8nEngine> {
  const qrServiceApi = { baseUrl, apiKey, authHeader: 'authorization', headerPrefix: 'Service' };
  return createN8nEngine({ packageDir: fileURLToPath(PACKAGE), credentials: { qrServiceApi } });
}

/** One of the example workflows that ship with the package, without its sample data. */
export function exampleWorkflow(name: string): WorkflowJson {
  const text = readFileSync(new URL(`examples/${name}.json`, PACKAGE), 'utf8');
  return { ...(JSON.parse(text) as WorkflowJson), pinData: {} };
}

const STEPS = ['New Rows', 'Create QR Code', 'Download Images'] as const;

/** Binary fields that the Download Images node adds. */
const IMAGE_FIELDS: Record<ImageFormat, string> = { png: 'image', svg: 'image_svg', pdf: 'image_pdf' };

/** Runs the rows through create, publish and three renders. Failed rows are reported by line number. */
export async function createCodes(
  engine: N8nEngine,
  rows: readonly Row[],
): Promise<{ created: CreatedCode[]; failed: RowProblem[] }> {
  const triggerItems = rows.map(({ name, targetUrl }) => ({ name, targetUrl }));
  const workflow = exampleWorkflow('rows-to-printable-codes');
  const run = await engine.runWorkflow(workflow, { startNode: 'Rows', triggerItems });
  if (run.error !== undefined) throw run.error;

  const failed = STEPS.flatMap((node) =>
    (run.outputs[node]?.[1] ?? []).map((item) => {
      const error: unknown = item.json['error'];
      return {
        line: rowOf(run, rows, node, item).line,
        problem: typeof error === 'string' ? error : `${node} failed`,
      };
    }),
  );
  const created: CreatedCode[] = [];
  for (const item of run.data['Download Images'] ?? []) {
    const images = {} as CreatedCode['images'];
    for (const format of IMAGE_FORMATS) images[format] = await engine.getBinary(item, IMAGE_FIELDS[format]);
    created.push({ row: rowOf(run, rows, 'Download Images', item), code: item.json as QrCode, images });
  }
  return { created, failed };
}

/** Follows an item's pairing back to the row it came from. */
function rowOf(
  run: RunResult,
  rows: readonly Row[],
  node: (typeof STEPS)[number],
  item: INodeExecutionData,
): Row {
  let index = pairedIndex(item);
  for (let position = STEPS.indexOf(node) - 1; position >= 0; position--) {
    const before = run.data[STEPS[position] ?? '']?.[index];
    if (before !== undefined) index = pairedIndex(before);
  }
  const row = rows[index];
  if (row === undefined) throw new Error(`An item of ${node} isn't paired with a row.`);
  return row;
}

function pairedIndex({ pairedItem }: INodeExecutionData): number {
  const pair = Array.isArray(pairedItem) ? pairedItem[0] : pairedItem;
  return typeof pair === 'object' ? pair.item : (pair ?? 0);
}

/** Changes where the codes point. */
export async function retargetCodes(
  engine: N8nEngine,
  targets: { id: string; url: string }[],
): Promise<void> {
  const triggerItems = targets.map(({ id, url }) => ({ code: id, url }));
  const workflow = exampleWorkflow('retarget-codes');
  const run = await engine.runWorkflow(workflow, { startNode: 'Rows', triggerItems });
  if (run.error !== undefined) throw run.error;
}
