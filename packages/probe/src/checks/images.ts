import { isApiError, type ImageFormat } from '@qr-service/core';
import { IMAGE_FORMATS, readHeader } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isSuccess } from '../http/Exchange.ts';
import { codePath } from './changes.ts';
import { CheckEnded, NoResponse, type Probe } from './Probe.ts';

const IMAGE = '/qr/*/image';

/** Looks at rendered images. */
export async function checkImages(probe: Probe): Promise<void> {
  const [code] = [...probe.known.written, ...probe.known.codes];
  if (code === undefined)
    throw new CheckEnded(`The workspace has no code that the probe knows. ${probe.rerun('with a code')}`);
  const path = `${codePath(code.id)}/image`;
  const render = (query: Record<string, string | number>) =>
    probe.send({ method: 'GET', path, query, isImage: true });

  const working: ImageFormat[] = [];
  const wrong: [format: ImageFormat, exchange: Exchange][] = [];
  for (const format of IMAGE_FORMATS) {
    const { exchange, isRead } = await checkFormat(probe, render, format);
    if (isRead) working.push(format);
    else if (exchange !== undefined) wrong.push([format, exchange]);
  }
  const types = new Set(wrong.map(([, { headers }]) => readHeader(headers, 'Content-Type')));
  const isFixed = wrong.length > 1 && types.size === 1 && wrong.every(([, exchange]) => isSuccess(exchange));
  if (isFixed && working.length > 0) probe.ignores(IMAGE, 'format');
  else for (const [format, exchange] of wrong) probe.repeat(exchange, { format });
}

type Render = (query: Record<string, string | number>) => Promise<Exchange>;

/** Whether a format is rendered, as the connector reads it and to its end. */
async function checkFormat(
  probe: Probe,
  render: Render,
  format: ImageFormat,
): Promise<{ exchange?: Exchange; isRead: boolean }> {
  const id = `images.${format}` as const;
  let exchange: Exchange;
  try {
    exchange = await render({ format });
  } catch (error) {
    // Only this format may be cut off.
    if (error instanceof NoResponse) return { isRead: false };
    throw error;
  }
  const { error } = await probe.read([exchange], (client) => client.qr.render('any', { format }));
  if (isApiError(error) && error.code === 'insufficient_scope') await probe.requireSuccess(id, exchange);
  const isCut = error === undefined && !isWhole(format, exchange.bytes);
  probe.answer(id, {
    verdict: error === undefined && !isCut ? 'works' : 'fails',
    value: isCut
      ? 'cut off'
      : error === undefined
        ? 'readable'
        : exchange.status < 300
          ? 'not readable'
          : `status ${exchange.status}`,
    explanation: isCut
      ? `The end of the file is missing (${exchange.bytes.length} bytes). The connectors return the file as it is.`
      : error === undefined
        ? undefined
        : probe.explain(error),
    from: [exchange],
  });
  return { exchange, isRead: error === undefined };
}

/** Something may follow, but a PDF's end may also be that of its first part. */
const ENDS: Record<ImageFormat, RegExp> = {
  png: /IEND/,
  svg: /<\/svg\s*>|<svg\b[^>]*\/>/,
  pdf: /%%EOF[^]{0,1024}$/,
};

/** Whether an image has its end: the connector looks at its start alone. */
function isWhole(format: ImageFormat, bytes: Uint8Array): boolean {
  return ENDS[format].test(new TextDecoder('latin1').decode(bytes));
}
