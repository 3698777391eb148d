import { PDFiumLibrary } from '@hyzyla/pdfium';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { decodePixels, type Pixels } from '../../../harness/decodeQr.ts';
import { startService, stopServices } from './support/service.ts';

let pdfium: Awaited<ReturnType<typeof PDFiumLibrary.init>>;
beforeAll(async () => {
  pdfium = await PDFiumLibrary.init();
});
afterEach(stopServices);
afterAll(() => pdfium.destroy());

function fromSvg(svg: Buffer): Pixels {
  const image = new Resvg(svg.toString()).render();
  return { data: image.pixels, width: image.width, height: image.height };
}

async function fromPdf(pdf: Buffer): Promise<Pixels & { title: string | undefined }> {
  const document = await pdfium.loadDocument(pdf);
  const page = await document.getPage(0).render({ scale: 2, render: 'bitmap' });
  // PDFium's bitmaps have blue first.
  const data = Buffer.from(page.data);
  for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2]!, data[at]!];
  const { width, height } = page;
  document.destroy();
  return { data, width, height, title: readTitle(pdf) };
}

/** The title stands as UTF-16 in an object of its own. */
function readTitle(pdf: Buffer): string | undefined {
  const text = pdf.toString('latin1');
  const id = /\/Title (\d+) 0 R/.exec(text)?.[1] ?? '';
  const title = new RegExp(`\\n${id} 0 obj\\n\\((?:\\xfe\\xff)?([^)]*)\\)`).exec(text)?.[1];
  return title?.replaceAll('\0', '');
}

test.each([undefined, 64, 65, 100, 333, 1000])(
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

test.each([64, 512])(
  'renders a PDF of size %d that decodes to the short link and is titled with the name',
  async (size) => {
    const { call, createCode } = await startService();
    const code = await createCode('Table 4');
    const { headers, bytes } = await call('GET', `/qr/${code.id}/image?format=pdf&size=${size}`);
    expect(headers.get('Content-Type')).toBe('application/pdf');
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${code.slug}.pdf"`);
    const page = await fromPdf(bytes);
    expect(page.width).toBe(size * 2);
    expect(page.title).toBe('Table 4');
    expect(decodePixels(page)).toBe(code.publicUrl);
  },
);

test('keeps the image when the destination is updated', async () => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  const before = await call('GET', `/qr/${id}/image`);
  await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/elsewhere' } });
  expect((await call('GET', `/qr/${id}/image`)).bytes.equals(before.bytes)).toBe(true);
});
