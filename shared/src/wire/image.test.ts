import { readImageFormat } from './image.ts';

describe('readImageFormat', () => {
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  it.each<[string, string | undefined, Uint8Array]>([
    ['png', 'image/png', bytes('\x89PNG\r\n\x1a\n…')],
    ['svg', 'image/svg+xml ; charset=utf-8', bytes('<?xml version="1.0"?>\n<svg xmlns="…">')],
    ['svg', 'text/xml', bytes(' \n<svg >')],
    ['pdf', 'application/pdf', bytes('%PDF-1.3')],
    ['pdf', 'application/octet-stream', bytes('%PDF-1.3')],
    ['svg', 'binary/octet-stream', bytes('<!-- card -->\n<svg>')],
    ['png', undefined, bytes('\x89PNG\r\n\x1a\n')],
  ])('returns %s for %s and matching first bytes', (format, type, body) =>
    expect(readImageFormat(type, body)).toBe(format),
  );

  it.each<[string, string, string, told?: string]>([
    ['JSON', 'application/json; charset=utf-8', '{"ok":true}', 'application/json'],
    ['JSON labeled as a PDF', 'application/pdf', '{"ok":true}'],
    ['JSON of a generic type', 'application/octet-stream', '{"ok":true}'],
    ['an SVG labeled as a PNG', 'image/png', '<svg>'],
    ['a PDF labeled as XML', 'text/xml', '%PDF-1.3'],
    ['a type after other text', '<b>text/html', '', 'no content type'],
    ['a type before other text', 'text/html<b>', '', 'no content type'],
    ['a PNG labeled as JSON', 'application/json', '\x89PNG\r\n\x1a\n'],
    ['a PNG labeled as a PDF', 'application/pdf', '\x89PNG\r\n\x1a\n'],
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
});
