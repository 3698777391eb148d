import { exitStatus } from '../src/cli/exitStatus.ts';
import type { Finding } from '../src/findings/Finding.ts';
import type { ProbeReport } from '../src/findings/ProbeReport.ts';
import { htmlReport } from '../src/report/htmlReport.ts';
import { jsonReport } from '../src/report/jsonReport.ts';
import { replayJson, replayReport } from '../src/report/replayReport.ts';
import { shapeFile } from '../src/report/shapeFile.ts';
import { summarize } from '../src/report/summary.ts';
import { terminalReport } from '../src/report/terminalReport.ts';
import { SAMPLE_REPORT } from './support/sampleReport.ts';

const PLAIN = { width: 100, colors: false };

test('the report for a terminal', () => {
  expect(terminalReport(SAMPLE_REPORT, PLAIN)).toBe(`Probe of api.example.com
2026-11-22 20:41 UTC, 41 s, 63 requests, with --write
✔ works   ~ differs   ✘ fails   ? unknown

Connection
  ✔ API key                        accepted

Lists
  ✘ Name of the array of rows      status 200
      Unexpected response: expected a list, got an object with the fields entries, total.
      - GET /qr, status 200: /pagination is missing.

      GET /qr?limit=100
      200 after 31 ms
      {"entries":[]}
  ~ Page size                      50 rows
      A larger limit is refused. The connector then requests 50 rows.

Webhooks
  ? Field with the signing secret  unknown
      The key lacks the scope webhooks:write. Add it, and run the probe again.

Clock
  ✔ The service's clock            right

Left behind
  The probe created these, or may have. Search for them in the app, and remove them.
  - code qr_1 is left: qr-service-probe 1, https://q.example.com/qr-service-probe-x1
  - subscription may be left: https://example.com/hook

✘ The connectors don't fully work with this service.
  Of 5 points, 1 fails, 2 work, 1 differs from the API text, 1 is unknown.
  ✘ Lists: Name of the array of rows (status 200)
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
  expect(text).toMatch(/\? Three +unknown\n +Run the probe/);
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

test.each<[Finding['verdict'][], Finding['verdict'], string]>([
  [['works'], 'works', 'The connectors work with this service.'],
  [['works', 'unknown'], 'works', 'The connectors work with this service, as far as the probe could check.'],
  [
    ['works', 'differs'],
    'differs',
    'The connectors work with this service, which departs from its API text.',
  ],
  [['works', 'differs', 'fails', 'unknown'], 'fails', "The connectors don't fully work with this service."],
  [['unknown', 'unknown'], 'unknown', 'The probe got no answers.'],
])('%j is summed up as %s', (verdicts, verdict, headline) => {
  expect(summarize(verdicts.map(finding))).toMatchObject({ verdict, headline });
});

const connected: Finding = { ...finding('works'), id: 'connection.key', area: 'Connection' };
const LACKING = 'The key lacks the scope qr:read. Add it, and run the probe again.';
const lacking = ['One', 'Two', 'Three'].map((title) => ({
  ...finding('unknown'),
  title,
  explanation: LACKING,
}));

test('a key with which nothing can be checked is no success', () => {
  const findings = [connected, ...lacking];
  const headline = 'Nothing that the connectors do could be checked.';
  expect(summarize(findings)).toMatchObject({ verdict: 'unknown', headline });
  expect(exitStatus(findings)).toBe(2);
});

test('what was not checked stands at the end, by reason, with what to do', () => {
  const write = { ...finding('unknown'), title: 'Creating', explanation: 'Add --write.' };
  const report = { ...SAMPLE_REPORT, findings: [finding('works'), write, ...lacking], leftBehind: [] };
  expect(terminalReport(report, PLAIN)).toContain(
    `  ? Not checked: 3 points. ${LACKING}\n  ? Not checked: Creating. Add --write.\n`,
  );
  expect(htmlReport(report, '1')).toContain(`<li>Not checked: 3 points. ${LACKING}</li>`);
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

test.each<[string, Finding['verdict'], boolean, number]>([
  ['lists.key', 'works', false, 0],
  ['lists.key', 'differs', false, 0],
  ['lists.key', 'unknown', false, 0],
  ['lists.key', 'fails', false, 1],
  ['connection.reach', 'fails', false, 2],
  ['connection.key', 'unknown', false, 2],
  ['webhooks.delivery', 'works', true, 0],
  ['webhooks.delivery', 'unknown', true, 1],
  ['lists.key', 'works', true, 1],
])('%s that %s, with a delivery expected: %s, ends with %i', (id, verdict, isDeliveryExpected, status) => {
  expect(exitStatus([{ ...finding(verdict), id }], isDeliveryExpected)).toBe(status);
});

test('the JSON holds the verdict and the whole report', () => {
  expect(JSON.parse(jsonReport(SAMPLE_REPORT))).toEqual({
    verdict: 'fails',
    headline: "The connectors don't fully work with this service.",
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
      expect(page).toContain(`<span class="word ${verdict}">${verdict}</span>`);
    }
    expect(page).toContain('<a href="#lists.key">');
    expect(page).toContain('qr-service-probe 1.2.3');
    expect(page).toContain('&quot;maxLimit&quot;: 50');
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
        departures: [text],
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
