import type { ProbeReport } from '../../src/findings/ProbeReport.ts';

/** A report with every verdict, and with everything that a finding can have. */
export const SAMPLE_REPORT: ProbeReport = {
  host: 'api.example.com',
  startedAt: '2026-11-22T20:41:07.000Z',
  durationMs: 41_200,
  wrote: true,
  requests: 63,
  findings: [
    { id: 'connection.key', area: 'Connection', title: 'API key', verdict: 'works', value: 'accepted' },
    {
      id: 'connection.headers',
      area: 'Connection',
      title: 'Headers that may contain the key',
      verdict: 'fails',
      value: 'only X-Service-API-Key',
    },
    {
      id: 'lists.key',
      area: 'Lists',
      title: 'List of codes',
      verdict: 'fails',
      value: 'status 200',
      explanation: 'Unexpected response: expected a list, got an object with the fields entries, total.',
      details: ['GET /qr?limit=100\n200 after 31 ms\n{"entries":[]}'],
    },
    {
      id: 'lists.since',
      area: 'Lists',
      title: 'Codes since a time',
      verdict: 'differs',
      value: 'updatedSince is ignored',
      explanation: 'It lists what is older, too. Polling works, but reads everything every time.',
    },
    {
      id: 'webhooks.secret',
      area: 'Webhooks',
      title: 'Field with the signing secret',
      verdict: 'unknown',
      explanation: 'The key lacks the scope webhooks:write. Add it, and run the probe again.',
    },
  ],
  shape: { format: 'qr-service-shape', version: 1, wireShape: { maxLimit: 50 } },
  leftBehind: [
    {
      what: 'code',
      state: 'is left',
      search: 'qr-service-probe 1',
      id: 'qr_1',
      url: 'https://q.example.com/qr-service-probe-x1',
    },
    { what: 'subscription', state: 'may be left', search: 'https://example.com/hook' },
  ],
};
