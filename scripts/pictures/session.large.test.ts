import { readFileSync } from 'node:fs';
import { Resvg } from '@resvg/resvg-js';
import { decodeQr } from '../../test/support/decodeQr.ts';
import { runSession } from './session.ts';
import { sessionSvg } from './sessionSvg.ts';

const COMMITTED = new URL('../../packages/mcp-server/images/session.svg', import.meta.url);

/** The texts of a picture, line by line. */
function texts(svg: string): string[] {
  const found = [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = '']) => text);
  return found.map((text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

describe('the committed picture of a session', () => {
  const svg = readFileSync(COMMITTED, 'utf8');

  it('is what the server returns today: npm run record updates it', async () => {
    expect(sessionSvg(await runSession())).toBe(svg);
  });

  it('shows a code that can be scanned, with the same colors in the light and the dark look', () => {
    const [link] = /https:\/\/qr\.example\.com\/r\/table-1-\w+/.exec(svg)!;
    const [image = ''] = /<svg x=[^]*?<\/svg>/.exec(svg)!;
    expect(image).not.toMatch(/class|style/);
    const options = { font: { loadSystemFonts: false }, fitTo: { mode: 'width', value: 512 } } as const;
    const png = new Resvg(image, options).render().asPng();
    expect(decodeQr(png)).toBe(link);
  });

  it('is one small file that loads nothing, runs nothing and shows no key', () => {
    expect(svg.length).toBeLessThan(20_000);
    expect(svg).not.toMatch(/<script|<foreignObject|<image|href|@import|url\(|\son\w+=/i);
    expect(texts(svg).join('\n')).not.toMatch(/127\.0\.0\.1|api.?key|authorization|[\w-]{32}/i);
  });
});
