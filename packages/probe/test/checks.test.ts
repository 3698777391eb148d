import { secretsIn } from '../src/checks/webhooks.ts';
import type { Exchange } from '../src/http/Exchange.ts';
import { toFixedResponse } from '../src/http/fixedResponse.ts';
import { describeExchange, redactor, showName } from '../src/http/redact.ts';

describe('what is shown', () => {
  const exchange = (body: string, status = 200): Exchange => ({
    request: { method: 'POST', path: '/webhooks', body: { url: 'https://example.com/' } },
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'set-cookie': ['session=1'] },
    bytes: Buffer.from(body),
    text: body,
    json: JSON.parse(body) as unknown,
    sentAt: 0,
    receivedAt: 5,
  });

  test('contains no key and no secret, also at the place where it is cut off', () => {
    for (let length = 3900; length < 4010; length++) {
      const text = JSON.stringify({ filler: 'a'.repeat(length), note: 'key-1/2', signing_secret: 'whsec_0' });
      const shown = describeExchange(exchange(text, 422), redactor(new Set(['key-1/2'])));
      expect(shown).not.toMatch(/key-|whsec|session/);
    }
    const subscribed = JSON.stringify({
      id: 'w1',
      url: 'https://example.com/',
      pin: '77',
      list: [{ n: 4711 }],
    });
    const shown = describeExchange(exchange(subscribed), redactor(new Set()));
    expect(shown).toContain(subscribed.replace(/"77"|4711/g, '"[hidden]"'));
  });

  test('is short, and has no control characters', () => {
    expect(showName('a\u001b[31m\u202e\nb')).toBe('a [31m  b');
    expect(showName('x'.repeat(1000)).length).toBeLessThan(50);
  });

  test('finds secrets by the names of their fields, one level down too', () => {
    const body = { id: '1', hook: { id: '2', hmacSecret: 'a' }, signing_key: 'b', name: 'c', secret: '' };
    expect(
      secretsIn(body)
        .map(({ value }) => value)
        .toSorted(),
    ).toEqual(['a', 'b']);
  });

  test('repeats a response without its texts', () => {
    const body = {
      codes: Array.from({ length: 9 }, () => ({
        id: 'qr_1',
        name: 'Door',
        at: '2026-03-04T05:06:07Z',
        link: 'https://r.example/a',
        size: 77,
        on: true,
        none: null,
      })),
      'qr_7 Door': { 'a b': 1 },
    };
    const { body: text, headers } = toFixedResponse(exchange(JSON.stringify(body)));
    expect(headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
    expect(text).not.toMatch(/qr_|Door|r\.example|77|03-04|a b/);
    const row = {
      id: '{id}',
      name: 'text',
      at: '2026-01-01T00:00:00.000Z',
      link: 'https://example.com/',
      size: 1,
      on: true,
      none: null,
    };
    expect(JSON.parse(text)).toEqual({ codes: [row, row, row], key1: { key0: 1 } });
  });
});
