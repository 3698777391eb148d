import type { ImageFormat } from '@qr-service/core';
import { IMAGE_FORMATS, readHeader } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isSuccess } from '../http/Exchange.ts';
import { codePath } from './changes.ts';
import { isInBounds } from '@qr-service/core/shape';
import { CheckEnded, type Probe } from './Probe.ts';

const IMAGE = '/qr/*/image';
const SIZES = [300, 400] as const;

/** Looks at rendered images. */
export async function checkImages(probe: Probe): Promise<void> {
  const [code] = [...probe.known.written, ...probe.known.codes];
  if (code === undefined)
    throw new CheckEnded(`The workspace has no code that the probe knows. ${probe.rerun('with a code')}`);
  const path = `${codePath(code.id)}/image`;
  const render = (query: Record<string, string | number>) =>
    probe.send({ method: 'GET', path, query, isImage: true });

  const plain = await render({});
  await probe.requireSuccess('images.defaults', plain);
  const { result: image, error } = await probe.read([plain], (client) => client.qr.render('any'));
  if (image === undefined) probe.fail('images.defaults', error, plain);
  const side = sideOf(image.format, plain.bytes);
  probe.shape.images = { format: image.format, ...(isInBounds('size', side) && { size: side }) };
  probe.answer('images.defaults', {
    verdict: 'works',
    value: `${image.format}${side === undefined ? '' : `, ${side}`}`,
    from: [plain],
  });
  await checkFormats(probe, render);
  await checkUnit(probe, render, image.format);
}

type Render = (query: Record<string, string | number>) => Promise<Exchange>;

async function checkFormats(probe: Probe, render: Render): Promise<void> {
  const exchanges: Exchange[] = [];
  const failed: string[] = [];
  const wrong: [format: ImageFormat, exchange: Exchange][] = [];
  for (const format of IMAGE_FORMATS) {
    const exchange = await render({ format });
    exchanges.push(exchange);
    const { error } = await probe.read([exchange], (client) => client.qr.render('any', { format }));
    if (error === undefined) continue;
    failed.push(`${format}: ${probe.explain(error)}`);
    wrong.push([format, exchange]);
  }
  const types = new Set(exchanges.map(({ headers }) => readHeader(headers, 'Content-Type')));
  if (wrong.length > 0 && types.size === 1) probe.ignores(IMAGE, 'format');
  else for (const [format, exchange] of wrong) probe.repeat(exchange, { format });
  probe.answer('images.formats', {
    verdict: failed.length === 0 ? 'works' : 'fails',
    value:
      IMAGE_FORMATS.filter((format) => !failed.some((text) => text.startsWith(format))).join(', ') || 'none',
    explanation: failed.length === 0 ? undefined : failed.join(' '),
    from: exchanges,
  });
}

async function checkUnit(probe: Probe, render: Render, usual: ImageFormat): Promise<void> {
  const formats: ImageFormat[] = usual === 'svg' ? ['svg', 'png'] : ['png', 'svg'];
  for (const format of formats) {
    const exchanges: Exchange[] = [];
    for (const size of SIZES) exchanges.push(await render({ format, size }));
    if (!exchanges.every(isSuccess)) continue;
    const sides = exchanges.map(({ bytes }) => sideOf(format, bytes));
    const [first, second] = sides;
    if (first === undefined || second === undefined) continue;
    const isPixels = first === SIZES[0] && second === SIZES[1];
    const isIgnored = first === second;
    if (isIgnored) probe.ignores(IMAGE, 'size');
    probe.answer('images.unit', {
      verdict: 'works',
      value: isPixels ? 'pixels' : isIgnored ? 'size is ignored' : `size ${SIZES[0]} is ${first} pixels wide`,
      explanation: isPixels ? undefined : 'The connector sends size as the number that the user entered.',
      from: exchanges,
    });
    return;
  }
  probe.answer('images.unit', {
    verdict: 'unknown',
    explanation: `Images of size ${SIZES.join(' and ')} were refused, or don't say how wide they are.`,
  });
}

/** Width of an image in pixels, of a PDF in points; undefined if it doesn't say. */
export function sideOf(format: ImageFormat, bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'png') return bytes.length >= 24 ? view.getUint32(16) : undefined;
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 100_000));
  const width =
    format === 'svg'
      ? /<svg\b[^>]*?\swidth="(\d+(?:\.\d+)?)(?:px)?"/.exec(text)?.[1]
      : /\/MediaBox\s*\[\s*0\s+0\s+(\d+(?:\.\d+)?)/.exec(text)?.[1];
  return width === undefined ? undefined : Math.round(Number(width));
}
