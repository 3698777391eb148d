import { exitStatus } from '../src/cli/exitStatus.ts';
import { FINDING_IDS, OPEN_WRITE, QUESTIONS } from '../src/findings/catalog.ts';
import { AREAS, type Finding } from '../src/findings/Finding.ts';
import type { ProbeReport } from '../src/findings/ProbeReport.ts';
import { htmlReport } from '../src/report/htmlReport.ts';
import { jsonReport } from '../src/report/jsonReport.ts';
import { replayJson, replayReport } from '../src/report/replayReport.ts';
import { shapeFile } from '../src/report/shapeFile.ts';
import { summarize, VERDICTS } from '../src/report/summary.ts';
import { terminalReport } from '../src/report/terminalReport.ts';
import { SAMPLE_REPORT } from './support/sampleReport.ts';

const PLAIN = { width: 100, colors: false };

test('the report for a terminal', () => {
  expect(terminalReport(SAMPLE_REPORT, PLAIN)).toBe(`Probe of api.example.com
2026-11-22 20:41 UTC, 41 s, 63 requests, with --write

✘ The connectors don't fully work with this service.

Jobs
  ? Create a code                           not checked
  ? Publish it                              not checked
  ? Its short link leads to the target      not checked
  ? Change the destination                  not checked
  ? Its short link leads to the new target  not checked
  ? Image as PNG                            not checked
  ? Image as SVG                            not checked
  ? Image as PDF                            not checked
  ? Instant trigger                         not checked
      The key lacks the scope webhooks:write. Add it, and run the probe again.
  ✘ Poll for changes                        fails
      Unexpected response: expected a list, got an object with the fields entries, total.
  ? Poll for scans                          not checked

✘ Connection: Headers that may contain the key (only X-Service-API-Key)

✔ works   ~ differs   ✘ fails   ? not checked

Connection
  ✔ API key                           accepted
  ✘ Headers that may contain the key  only X-Service-API-Key

Lists
  ✘ List of codes                     status 200
      Unexpected response: expected a list, got an object with the fields entries, total.

      GET /qr?limit=100
      200 after 31 ms
      {"entries":[]}
  ~ Codes since a time                updatedSince is ignored
      It lists what is older, too. Polling works, but reads everything every time.

Webhooks
  ? Field with the signing secret     not checked
      The key lacks the scope webhooks:write. Add it, and run the probe again.

Left behind
  The probe created these, or may have. Search for them in the app, and remove them.
  - code qr_1 is left: qr-service-probe 1, https://q.example.com/qr-service-probe-x1
  - subscription may be left: https://example.com/hook

✘ The connectors don't fully work with this service.
`);
});

test('an explanation that several findings in a row share is shown once', () => {
  const explanation = 'Run the probe again with --write.';
  const findings = ['One', 'Two', 'Three'].map((title): Finding => ({
    id: title,
    area: 'Codes',
    title,
    verdict: 'unknown',
    explanation,
  }));
  const text = terminalReport({ ...SAMPLE_REPORT, findings }, PLAIN);
  expect(text.split(explanation)).toHaveLength(2);
  expect(text).toMatch(/\? Three +not checked\n +Run the probe/);
});

test.each([20, 60, 100, 300])('lines fit into %i columns, from 50 to 110', (width) => {
  const explanation = 'word '.repeat(100);
  const findings = SAMPLE_REPORT.findings.map((finding) => ({ ...finding, explanation }));
  const lines = terminalReport({ ...SAMPLE_REPORT, findings }, { ...PLAIN, width }).split('\n');
  const longest = Math.max(...lines.filter((line) => line.includes('word')).map(({ length }) => length));
  expect(longest).toBeLessThanOrEqual(Math.min(Math.max(width, 50), 110));
  expect(longest).toBeGreaterThan(40);
});

test('colors are only for terminals that show them', () => {
  expect(terminalReport(SAMPLE_REPORT, PLAIN)).not.toContain('\x1B');
  expect(terminalReport(SAMPLE_REPORT, { ...PLAIN, colors: true })).toContain('\x1B[31m✘');
});

const finding = (verdict: Finding['verdict']): Finding => ({
  id: verdict,
  area: 'Lists',
  title: verdict,
  verdict,
});

const DELIVERED = ['webhooks.delivery', 'webhooks.signature'];
const WRITTEN = FINDING_IDS.filter((id) => 'write' in QUESTIONS[id]);

/** Findings of a run that saw everything work, but for some. */
function findingsWith(verdict: Finding['verdict'], ids: readonly string[], explanation?: string): Finding[] {
  return [...FINDING_IDS, ...DELIVERED].map((id) => ({
    ...finding('works'),
    id,
    area: AREAS.find((area) => id.startsWith(`${area.toLowerCase()}.`))!,
    ...(ids.includes(id) && { verdict, ...(explanation !== undefined && { explanation }) }),
  }));
}

const undelivered = (findings: readonly Finding[]) => findings.filter(({ id }) => !DELIVERED.includes(id));

test.each<[what: string, Finding[], Finding['verdict'], headline: string, status: number]>([
  ['all works', findingsWith('works', []), 'works', 'The connectors work with this service.', 0],
  [
    'one point differs',
    findingsWith('differs', ['lists.key']),
    'differs',
    'The connectors work with this service, which departs from its API text.',
    0,
  ],
  [
    'a read-only run',
    undelivered(findingsWith('unknown', WRITTEN, OPEN_WRITE)),
    'unknown',
    'Reading works. Creating, changing and webhooks were not checked.',
    0,
  ],
  [
    'a run that writes',
    undelivered(findingsWith('works', [])),
    'unknown',
    'Creating, changing and reading work. Webhooks were not checked.',
    0,
  ],
  [
    'a tunnel that could not be reached',
    findingsWith('unknown', ['webhooks.delivery'], 'No delivery came.'),
    'unknown',
    'Creating, changing and reading work. Webhooks were not checked.',
    1,
  ],
  [
    'no scans',
    findingsWith('unknown', ['scans.fields'], 'The workspace has no scans.'),
    'unknown',
    '"Poll for scans" was not checked. Everything else works.',
    1,
  ],
  ...['codes.redirect', 'webhooks.body', 'connection.headers', 'errors.cursor'].map(
    (id): [string, Finding[], Finding['verdict'], string, number] => [
      `${id} fails`,
      [...findingsWith('works', []).filter((known) => known.id !== id), { ...finding('fails'), id }],
      'fails',
      "The connectors don't fully work with this service.",
      1,
    ],
  ),
  [
    'a key that allows nothing',
    findingsWith('unknown', FINDING_IDS.slice(5), 'The key lacks the scope qr:read.').slice(0, -2),
    'unknown',
    'Nothing that the connectors do could be checked.',
    2,
  ],
  [
    'a key that is refused',
    findingsWith('fails', ['connection.key']),
    'fails',
    'The service could not be checked.',
    2,
  ],
  [
    'no answers',
    findingsWith('unknown', FINDING_IDS).slice(0, -2),
    'unknown',
    'The probe got no answers.',
    2,
  ],
])('%s: the headline and the exit status', (_what, findings, verdict, headline, status) => {
  expect(summarize(findings)).toMatchObject({ verdict, headline });
  expect(exitStatus(findings)).toBe(status);
});

test('a report that was stopped does not say that the connectors work', () => {
  const report = { ...SAMPLE_REPORT, findings: [finding('works')], stopped: true as const };
  const headline = 'The probe was stopped before it had checked everything.';
  expect(terminalReport(report, PLAIN)).toContain(`? ${headline}`);
  expect(JSON.parse(jsonReport(report))).toMatchObject({ verdict: 'unknown', headline });
});

test('without access, only the reason is printed', () => {
  const findings = [
    { ...finding('fails'), id: 'connection.key', area: 'Connection' as const, title: 'API key' },
    { ...finding('unknown'), title: 'Largest page' },
  ];
  const text = terminalReport({ ...SAMPLE_REPORT, findings }, PLAIN);
  expect(text).toContain('✘ API key');
  expect(text).not.toContain('Largest page');
  expect(text).toContain('✘ The service could not be checked.');
});

test('the JSON holds the verdict and the whole report', () => {
  expect(JSON.parse(jsonReport(SAMPLE_REPORT))).toEqual({
    verdict: 'fails',
    headline: "The connectors don't fully work with this service.",
    jobs: summarize(SAMPLE_REPORT.findings).jobs,
    ...SAMPLE_REPORT,
  });
});

describe('the page', () => {
  const page = htmlReport(SAMPLE_REPORT, '1.2.3');

  it('contains all findings, with words for the signs, and links to those that fail', () => {
    for (const { id, title, value = '', verdict } of SAMPLE_REPORT.findings) {
      expect(page).toContain(`id="${id}"`);
      expect(page).toContain(title.replaceAll("'", '&#39;'));
      expect(page).toContain(value);
      expect(page).toContain(`<span class="word ${verdict}">${VERDICTS[verdict].word}</span>`);
    }
    expect(page).toContain('<a href="#connection.headers">');
    expect(page).toContain('qr-service-probe 1.2.3');
  });

  it('requests nothing and runs nothing', () => {
    expect(page).not.toMatch(
      /<(script|link|img|iframe|object|embed|base|form)\b|\bsrc=|url\(|@import|\bon\w+=/i,
    );
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    for (const [, target] of page.matchAll(/href="([^"]*)"/g)) expect(target).toMatch(/^#/);
  });
});

/** Puts a text into everywhere that a service's own text could reach. */
function filled(text: string): ProbeReport {
  return {
    ...SAMPLE_REPORT,
    host: text,
    findings: [
      {
        id: text,
        area: 'Lists',
        title: text,
        verdict: 'fails',
        value: text,
        explanation: text,
        details: [text],
      },
    ],
    // The check that finds the name bounds it.
    shape: { ...SAMPLE_REPORT.shape, wireShape: { listKey: text.slice(0, 100) } },
    leftBehind: [{ what: 'code', state: 'is left', search: text, id: text, url: text }],
  };
}

const HOSTILE = [
  '\x1B]0;title\x07\x1B[2J\x1B[31mred',
  '\u009B31m',
  'a\rb\u2028c\u2029d\u0000e',
  '\u202Egnp.exe\u2066\u200B\uFEFF',
  `"><script>alert(1)</script><img src=x onerror='alert(1)'>`,
  "</style></pre><a href='javascript:alert(1)'>",
  '&lt;b&gt;',
];

test.each(HOSTILE)('a service cannot control the terminal or the page with %j', (text) => {
  const report = filled(text);
  const terminal = terminalReport(report, PLAIN) + replayReport(report.findings, PLAIN);
  expect(terminal.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  const page = htmlReport(report, '1');
  expect(page.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(page).not.toMatch(/<script|<img|<a href='|onerror='/);
  if (text.startsWith('&lt;')) expect(page).toContain('&amp;lt;b&amp;gt;');
  expect(JSON.parse(jsonReport(report))).toMatchObject({ host: text });
  const json = jsonReport(report) + replayJson(report.findings) + shapeFile(report.shape);
  expect(json.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test('long texts are cut', () => {
  const report = filled('x'.repeat(100_000));
  expect(terminalReport(report, PLAIN).length).toBeLessThan(40_000);
  expect(htmlReport(report, '1').length).toBeLessThan(50_000);
});
