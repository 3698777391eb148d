import { createZapierEngine, type ZapierEngine } from '../engines/zapier/index.ts';
import type { Row } from './readRows.ts';

/** Starts Zapier's own engine with the app. */
export function startZapier(baseUrl: string, apiKey: string): Promise<ZapierEngine> {
  return createZapierEngine({ auth: { apiKey, baseUrl } });
}

/** A code created by a Zap. */
export interface ZapCode {
  row: Row;
  id: string;
  name: string;
  slug: string;
  publicUrl: string;
  targetUrl: string;
  image: Uint8Array;
}

/** Runs a row through the steps of a Zap: create, find, publish, update the destination, render. */
export async function zapRow(engine: ZapierEngine, row: Row): Promise<ZapCode> {
  const name = `${row.name} (Zapier)`;
  const created = await engine.create('create_qr_code', {
    name,
    targetUrl: row.targetUrl,
    publishNow: false,
  });
  const [found] = await engine.search('find_qr_code', { value: created['publicUrl'] });
  if (found === undefined || found['id'] !== created['id'])
    throw new Error("The Zap didn't find the code it created.");
  const qrCodeId = found['id'];
  const targetUrl = new URL('/zapier', row.targetUrl).href;
  await engine.create('publish_qr_code', { qrCodeId });
  await engine.create('retarget_qr_code', { qrCodeId, url: targetUrl });
  const { file, slug, publicUrl } = await engine.create('render_qr_code', { qrCodeId, format: 'svg' });
  const { bytes } = await engine.hydrateFile(file);
  return {
    row,
    id: String(qrCodeId),
    name,
    slug: String(slug),
    publicUrl: String(publicUrl),
    targetUrl,
    image: bytes,
  };
}
