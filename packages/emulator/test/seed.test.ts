import { verifyWebhook } from '@qr-service/core';
import { type Seed } from 'qr-service-emulator';
import { startReceiver } from './support/receiver.ts';
import { startService, tempFile } from './support/service.ts';

describe('seed', () => {
  const SEED: Seed = {
    codes: [
      {
        id: 'qr_menu',
        name: 'Menu',
        slug: 'menu-summer',
        targetUrl: 'https://example.com/menu',
        status: 'published',
        scans: [
          { scannedAt: '2026-01-15T11:00:00Z', country: 'DE', device: 'mobile' },
          { scannedAt: '2026-01-15T09:00:00Z' },
        ],
      },
      {
        name: 'Door',
        targetUrl: 'https://example.com/door',
        scans: [{ scannedAt: '2026-01-15T10:00:00Z', os: 'iOS' }],
      },
    ],
    keys: [{ name: 'Reader', scopes: ['qr:read', 'analytics:read'], apiKey: 'reader-key' }],
    subscriptions: [
      { url: 'https://hooks.example.com/', eventTypes: ['export.ready'], secret: 'whsec_known' },
    ],
  };

  test('creates codes, scans, keys and subscriptions at the start without firing events', async () => {
    const receiver = await startReceiver();
    const connectTo = { 'hooks.example.com': receiver.address };
    const { emulator, call } = await startService({ seed: SEED, connectTo });
    const apiKey = 'reader-key';
    expect((await call('GET', '/qr', { apiKey })).json['data']).toMatchObject([
      { id: 'qr_menu', slug: 'menu-summer', status: 'published', folderId: null },
      { id: expect.stringMatching(/^qr_/), slug: expect.stringMatching(/^door-/), status: 'draft' },
    ]);
    expect((await fetch(`${emulator.redirectUrl}/menu-summer`, { redirect: 'manual' })).status).toBe(302);
    const scans = (await call('GET', '/scans?since=2026-01-15T00:00:00Z', { apiKey })).json[
      'data'
    ] as object[];
    expect(scans.slice(0, 3)).toMatchObject([
      { qrId: 'qr_menu', scannedAt: '2026-01-15T09:00:00.000Z', country: null },
      { scannedAt: '2026-01-15T10:00:00.000Z', os: 'iOS' },
      { qrId: 'qr_menu', scannedAt: '2026-01-15T11:00:00.000Z', country: 'DE', device: 'mobile' },
    ]);
    expect((await call('POST', '/qr', { apiKey, body: {} })).json['code']).toBe('insufficient_scope');
    await emulator.control.settled();
    expect(receiver.received).toEqual([]);
    emulator.control.emit('export.ready');
    await emulator.control.settled();
    const { headers, body: rawBody } = receiver.received[0]!;
    verifyWebhook({ rawBody, headers, secret: 'whsec_known' });
  });

  test('seeds only a new database', async () => {
    const db = tempFile('emulator.json');
    for (let start = 0; start < 2; start++) {
      const { call, emulator } = await startService({ db, seed: SEED });
      expect((await call('GET', '/qr')).json['data']).toHaveLength(2);
      await emulator.stop();
    }
  });

  const url = 'https://example.com/';
  const code = { name: 'Door', targetUrl: url };

  test.each<[unknown, string]>([
    [[], 'seed must be an object.'],
    [{ code: [] }, "code isn't a known field; use one of: codes, keys, subscriptions."],
    [{ codes: [{ name: 'Door' }] }, 'codes[0].targetUrl is missing.'],
    [{ codes: [{ ...code, targetUrl: 'door' }] }, 'codes[0].targetUrl must be an absolute URL'],
    [{ codes: [{ ...code, color: 1 }] }, "codes[0].color isn't a known field; use one of: name, targetUrl, "],
    [{ codes: [{ ...code, status: 'live' }] }, 'codes[0].status must be one of: draft, published, archived.'],
    [{ codes: [{ ...code, slug: 'A b' }] }, 'codes[0].slug must be at most 80 lowercase letters'],
    [{ codes: Array(2).fill({ ...code, slug: 'a' }) }, 'codes[1].slug is already used by codes[0].'],
    [{ codes: [{ ...code, scans: [{ scannedAt: '' }] }] }, 'codes[0].scans[0].scannedAt must be a time, in'],
    [
      { subscriptions: [{ url: 'https://10.0.0.1/' }] },
      'subscriptions[0].url must be HTTPS on a public host',
    ],
    [
      { subscriptions: [{ url, eventTypes: ['qr.a'] }] },
      'subscriptions[0].eventTypes has unknown events: qr.a.',
    ],
  ])('refuses the seed %j', async (seed, sentence) => {
    await expect(startService({ seed: seed as Seed })).rejects.toThrow(sentence);
  });
});
