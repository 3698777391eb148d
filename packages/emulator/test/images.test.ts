import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { decodePixels, type Pixels } from '../../../test/support/decodeQr.ts';
import { readPdfTitle } from './support/pdfTitle.ts';
import { startService } from './support/service.ts';

function fromSvg(svg: Buffer): Pixels {
  const image = new Resvg(svg.toString()).render();
  return { data: image.pixels, width: image.width, height: image.height };
}

test.each([undefined, 65, 333, 1000])(
  'renders a square PNG of size %s that decodes to the short link',
  async (size) => {
    const { call, createCode } = await startService();
    const code = await createCode('Biergarten am See');
    const query = size === undefined ? '' : `?format=png&size=${size}`;
    const { status, headers, bytes } = await call('GET', `/qr/${code.id}/image${query}`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('image/png');
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${code.slug}.png"`);
    expect(headers.get('X-RateLimit-Limit')).toBe('2000');
    const image = PNG.sync.read(bytes);
    expect([image.width, image.height]).toEqual([size ?? 512, size ?? 512]);
    expect(decodePixels(image)).toBe(code.publicUrl);
  },
);

test('fits the longest short link into the smallest PNG', async () => {
  const { call, createCode } = await startService({ redirectUrl: `https://${'q'.repeat(80)}.example.com` });
  const code = await createCode('x'.repeat(200));
  const { bytes } = await call('GET', `/qr/${code.id}/image?size=64`);
  const image = PNG.sync.read(bytes);
  expect(image.width).toBe(64);
  expect(decodePixels(image)).toBe(code.publicUrl);
});

test('renders an SVG that decodes to the short link', async () => {
  const { call, createCode } = await startService({ redirectUrl: 'https://qr.example.com/' });
  const code = await createCode();
  expect(code.publicUrl).toBe(`https://qr.example.com/${code.slug}`);
  const { headers, bytes } = await call('GET', `/qr/${code.id}/image?format=svg&size=300`);
  expect(headers.get('Content-Type')).toBe('image/svg+xml');
  expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${code.slug}.svg"`);
  const image = fromSvg(bytes);
  expect([image.width, image.height]).toEqual([300, 300]);
  expect(decodePixels(image)).toBe(code.publicUrl);
});

test('renders a PDF that is titled with the name', async () => {
  const { call, createCode } = await startService();
  const code = await createCode('Table 4');
  const { headers, bytes } = await call('GET', `/qr/${code.id}/image?format=pdf`);
  expect(headers.get('Content-Type')).toBe('application/pdf');
  expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${code.slug}.pdf"`);
  expect(readPdfTitle(bytes)).toBe('Table 4');
});

test('keeps the image when the destination is updated', async () => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  const before = await call('GET', `/qr/${id}/image`);
  await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/elsewhere' } });
  expect((await call('GET', `/qr/${id}/image`)).bytes.equals(before.bytes)).toBe(true);
});
