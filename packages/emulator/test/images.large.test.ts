import { PDFiumLibrary } from '@hyzyla/pdfium';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { decodePixels, type Pixels } from '../../../test/support/decodeQr.ts';
import { startService } from './support/service.ts';

describe('images', () => {
  async function drawPdf(pdf: Buffer): Promise<Pixels> {
    const pdfium = await PDFiumLibrary.init();
    const document = await pdfium.loadDocument(pdf);
    const { data, width, height } = await document.getPage(0).render({ render: 'bitmap' });
    pdfium.destroy();
    // PDFium's bitmaps are BGR, which is the same in black and white.
    return { data: Buffer.from(data), width, height };
  }

  const DRAW: Record<string, (bytes: Buffer) => Pixels | Promise<Pixels>> = {
    png: (png) => PNG.sync.read(png),
    svg: (svg) => {
      const { pixels: data, width, height } = new Resvg(svg.toString()).render();
      return { data, width, height };
    },
    pdf: drawPdf,
  };

  test.each([
    ['', 'png', 512, 'image/png'],
    ['?format=png&size=65', 'png', 65, 'image/png'],
    ['?size=333', 'png', 333, 'image/png'],
    ['?format=svg&size=300', 'svg', 300, 'image/svg+xml'],
    ['?format=pdf&size=200', 'pdf', 200, 'application/pdf'],
  ])('image%s: a square %s of %d px that decodes to the short link', async (query, format, size, type) => {
    const { call, createCode } = await startService();
    const code = await createCode('Biergarten am See');
    const { status, headers, bytes } = await call('GET', `/qr/${code.id}/image${query}`);
    expect([status, headers.get('Content-Type')]).toEqual([200, type]);
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${code.slug}.${format}"`);
    const image = await DRAW[format]!(bytes);
    expect(image.width).toBe(size);
    expect(decodePixels(image)).toBe(code.publicUrl);
  });

  test('fits the longest short link into the smallest PNG', async () => {
    const { call, createCode } = await startService({ redirectUrl: `https://${'q'.repeat(80)}.example.com` });
    const code = await createCode('x'.repeat(200));
    const image = PNG.sync.read((await call('GET', `/qr/${code.id}/image?size=64`)).bytes);
    expect(image.width).toBe(64);
    expect(decodePixels(image)).toBe(code.publicUrl);
  });
});
