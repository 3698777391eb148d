import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ImageFormat, QrCode } from '@qr-service/core';
import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { createN8nEngine, type N8nEngine, type WorkflowJson } from '../engines/n8n/index.ts';
import type { ZapierEngine } from '../engines/zapier/index.ts';
import type { Row } from './sheet.ts';

const PACKAGE = new URL('../packages/n8n-nodes-qr-service/', import.meta.url);

/** A code that a platform created from a row, with its images. */
export interface CreatedCode {
  createdIn: 'n8n' | 'Zapier';
  row: Row;
  code: Pick<QrCode, 'id' | 'name' | 'slug' | 'status' | 'publicUrl'>;
  targetUrl: string;
  isRetargeted: boolean;
  images: Partial<Record<ImageFormat, Uint8Array>>;
}

/** Starts n8n's own engine with the built package. */
export function startN8n(baseUrl: string, apiKey: string): Promise<N8nEngine> {
  return createN8nEngine({
    packageDir: fileURLToPath(PACKAGE),
    credentials: { qrServiceApi: { baseUrl, apiKey } },
  });
}

/** One of the example workflows that ship with the package, set up: without sample data, and with all nodes on. */
export function exampleWorkflow(name: string): WorkflowJson {
  const text = readFileSync(new URL(`examples/${name}.json`, PACKAGE), 'utf8');
  const { nodes, ...workflow } = JSON.parse(text) as WorkflowJson;
  return { ...workflow, nodes: nodes.map((node) => ({ ...node, disabled: false })), pinData: {} };
}

/** Binary fields of the images that the example workflow downloads. */
const IMAGE_FIELDS: Record<ImageFormat, string> = { png: 'data', svg: 'data_svg', pdf: 'data_pdf' };

/** Runs rows through an n8n workflow that creates codes, publishes them and downloads their images. */
export async function createInN8n(
  engine: N8nEngine,
  rows: readonly Row[],
): Promise<{ created: CreatedCode[]; failed: { line: unknown; problem: unknown }[] }> {
  const triggerItems = rows.map(({ line, name, targetUrl }) => ({ row_number: line, name, targetUrl }));
  const options = { startNode: 'Rows', triggerItems };
  const { data, error } = await engine.runWorkflow(exampleWorkflow('rows-to-printable-codes'), options);
  if (error !== undefined) throw error;
  const created: CreatedCode[] = [];
  for (const [index, item] of (data['Create QR Code'] ?? []).entries()) {
    const line = data['Write Short Links']?.[index]?.json['row_number'];
    const row = rows.find((each) => each.line === line);
    if (row === undefined) throw new Error('A code belongs to no row.');
    const images: CreatedCode['images'] = {};
    for (const format of IMAGE_FORMATS) images[format] = await engine.getBinary(item, IMAGE_FIELDS[format]);
    const code = item.json as QrCode;
    created.push({ createdIn: 'n8n', row, code, targetUrl: row.targetUrl, isRetargeted: false, images });
  }
  const errors = data['Write Errors'] ?? [];
  return {
    created,
    failed: errors.map(({ json }) => ({ line: json['row_number'], problem: json['error'] })),
  };
}

/** Runs codes through an n8n workflow that changes where they lead. */
export async function retargetInN8n(engine: N8nEngine, codes: readonly CreatedCode[]): Promise<void> {
  for (const code of codes) {
    code.targetUrl = new URL('/moved', code.targetUrl).href;
    code.isRetargeted = true;
  }
  const triggerItems = codes.map(({ code, targetUrl }) => ({ code: code.id, url: targetUrl }));
  const options = { startNode: 'Rows', triggerItems };
  const { error } = await engine.runWorkflow(exampleWorkflow('retarget-codes'), options);
  if (error !== undefined) throw error;
}

/** Runs a row through the steps of a Zap: create, find, publish, update the destination, render. */
export async function createInZapier(engine: ZapierEngine, row: Row): Promise<CreatedCode> {
  const name = `${row.name} (Zapier)`;
  const draft = { name, targetUrl: row.targetUrl, publishNow: false };
  const { publicUrl } = await engine.create('create_qr_code', draft);
  const [found] = await engine.search('find_qr_code', { value: publicUrl });
  const qrCodeId = found?.['id'];
  const targetUrl = new URL('/zapier', row.targetUrl).href;
  await engine.create('publish_qr_code', { qrCodeId });
  await engine.create('retarget_qr_code', { qrCodeId, url: targetUrl });
  const rendered = await engine.create('render_qr_code', { qrCodeId, format: 'svg' });
  const { bytes } = await engine.hydrateFile(rendered['file']);
  const code = rendered as unknown as QrCode;
  return { createdIn: 'Zapier', row, code, targetUrl, isRetargeted: true, images: { svg: bytes } };
}
