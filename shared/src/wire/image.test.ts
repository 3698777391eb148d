import { IMAGE_FORMATS } from '../contract/types.ts';
import { imageMimeType, readImageFormat } from './image.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

it.each<[string, string]>([
  ['png', '\x89PNG\r\n\x1a\n…'],
  ['svg', '<?xml version="1.0"?>\n<svg xmlns="…">'],
  ['svg', ' \n<svg >'],
  ['svg', '<!-- card -->\n<svg>'],
  ['svg', `<?xml version="1.0"?><!-- ${'Drawn by a program. '.repeat(1000)}--><svg>`],
  ['svg', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1">\n<svg>'],
  ['svg', `<!DOCTYPE svg [${'<!ENTITY ns "http://ns.example/">\n'.repeat(100)}]>\n<svg/>`],
  ['svg', '<svg:svg xmlns:svg="http://www.w3.org/2000/svg">'],
  ['svg', '<!DOCTYPE  svg:svg [ ]  ><svg:svg>'],
  ['svg', '\xEF\xBB\xBF<svg>'],
  ['pdf', '%PDF-1.3'],
  ['pdf', '\r\n%PDF-1.7'],
])('recognizes a %s by its first bytes', (format, body) =>
  expect(readImageFormat('application/octet-stream', bytes(body))).toBe(format),
);

it.each<[string, string, string, told?: string]>([
  ['JSON', 'application/json; charset=utf-8', '{"ok":true}', 'application/json'],
  ['JSON labeled as a PDF', 'application/pdf', '{"ok":true}'],
  ['a type after other text', '<b>text/html', '', 'no content type'],
  ['a type before other text', 'text/html<b>', '', 'text/html'],
  ['an HTML page that begins with a drawing', 'image/svg+xml', '<!DOCTYPE html><svg>'],
  ['an HTML page with a drawing', 'text/html', '<html><body><svg></svg>'],
  ['an HTML page with a drawing, as XML', 'text/xml', '<?xml version="1.0"?><html><svg></svg></html>'],
  ['a drawing in a comment only', 'text/xml', '<!-- <svg> --><note/><!-- --><svg>'],
  ['a drawing in CDATA only', 'text/xml', '<note><![CDATA[<svg>]]></note>'],
  ['a drawing in an entity only', 'text/xml', '<!DOCTYPE note [<!ENTITY a "<svg>">]><note/>'],
  ['an element that only begins with svg', 'text/xml', '<svgs>'],
  ['text before a PDF', 'text/plain', 'A file: %PDF-1.7'],
  ['a truncated PNG', 'image/png', '\x89PNG'],
  ['nothing', 'image/png', ''],
])('throws for %s', (_what, type, body, told = type) =>
  expect(() => readImageFormat(type, bytes(body))).toThrow(
    expect.objectContaining({
      code: 'unreadable_response',
      message: `Expected a PNG, SVG or PDF, but got ${told} (${body.length} bytes).`,
    }),
  ),
);

it('each format has its MIME type', () =>
  expect(IMAGE_FORMATS.map(imageMimeType)).toEqual(['image/png', 'image/svg+xml', 'application/pdf']));
