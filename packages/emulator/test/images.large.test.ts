import { PDFiumLibrary } from '@hyzyla/pdfium';
import { decodePixels, type Pixels } from '../../../test/support/decodeQr.ts';
import { startService } from './support/service.ts';

let pdfium: Awaited<ReturnType<typeof PDFiumLibrary.init>>;
beforeAll(async () => {
  pdfium = await PDFiumLibrary.init();
});
afterAll(() => pdfium.destroy());

async function render(pdf: Buffer): Promise<Pixels> {
  const document = await pdfium.loadDocument(pdf);
  const page = await document.getPage(0).render({ scale: 2, render: 'bitmap' });
  // PDFium's bitmaps are BGR.
  const data = Buffer.from(page.data);
  for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2]!, data[at]!];
  const { width, height } = page;
  document.destroy();
  return { data, width, height };
}

test.each([64, 512])('renders a PDF of size %d that decodes to the short link', async (size) => {
  const { call, createCode } = await startService();
  const code = await createCode('Table 4');
  const { bytes } = await call('GET', `/qr/${code.id}/image?format=pdf&size=${size}`);
  const page = await render(bytes);
  expect(page.width).toBe(size * 2);
  expect(decodePixels(page)).toBe(code.publicUrl);
});
