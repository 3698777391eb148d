import { readImageFormat } from './image.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

it.each<[string, string]>([
  ['png', '\x89PNG\r\n\x1a\n…'],
  ['svg', '<?xml version="1.0"?>\n<svg xmlns="…">'],
  ['svg', ' \n<svg >'],
  ['svg', '<!-- card -->\n<svg>'],
  ['pdf', '%PDF-1.3'],
])('recognizes a %s by its first bytes', (format, body) =>
  expect(readImageFormat('application/octet-stream', bytes(body))).toBe(format),
);

it.each<[string, string, string, told?: string]>([
  ['JSON', 'application/json; charset=utf-8', '{"ok":true}', 'application/json'],
  ['JSON labeled as a PDF', 'application/pdf', '{"ok":true}'],
  ['a type after other text', '<b>text/html', '', 'no content type'],
  ['a type before other text', 'text/html<b>', '', 'no content type'],
  ['an HTML page with a drawing', 'image/svg+xml', '<!DOCTYPE html><svg>'],
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
