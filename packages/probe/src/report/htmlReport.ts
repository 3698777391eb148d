import type { Finding } from '../findings/Finding.ts';
import { LEFT_BEHIND, leftText, type LeftBehind, type ProbeReport } from '../findings/ProbeReport.ts';
import { safeReport } from './safeReport.ts';
import { STYLE } from './style.ts';
import { byArea, circumstances, summarize, VERDICTS } from './summary.ts';

/** The report as one page that needs nothing else: no script, and no request to anywhere. */
export function htmlReport(given: ProbeReport, version: string): string {
  const report = safeReport(given);
  const { verdict, headline, jobs, failures } = summarize(report.findings, report);
  const host = html(report.host);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${VERDICTS[verdict].icon} Probe of ${host}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="tool">qr-service-probe ${html(version)}</p>
<h1>${host}</h1>
<p class="muted">${html(circumstances(report))}</p>
</header>
<main>
<section class="summary ${verdict}">
<h2>${icon(verdict)} ${html(headline)}</h2>
<dl>${jobs.map(row).join('\n')}</dl>
${failures.length === 0 ? '' : `<ul>${failures.map(failure).join('\n')}</ul>`}
</section>
${leftBehind(report.leftBehind)}
${byArea(report.findings)
  .map(([area, findings]) => `<section><h2>${area}</h2>\n<dl>${findings.map(row).join('\n')}</dl></section>`)
  .join('\n')}
<section>
<h2>Signs</h2>
<ul class="legend">${Object.entries(VERDICTS)
    .map(
      ([name, { word, meaning }]) => `<li>${icon(name as Finding['verdict'])} <b>${word}</b> ${meaning}</li>`,
    )
    .join('\n')}</ul>
</section>
</main>
<footer class="muted">Contains no API key and no signing secret.</footer>
</body>
</html>
`;
}

const icon = (verdict: Finding['verdict']) =>
  `<span class="icon ${verdict}" aria-hidden="true">${VERDICTS[verdict].icon}</span>`;

function failure({ id, area, title, value, explanation }: Finding): string {
  const shown = value === undefined ? '' : ` <code>${html(value)}</code>`;
  return `<li><a href="#${html(id)}">${area}: ${html(title)}</a>${shown}${explanation === undefined ? '' : `<br>${html(explanation)}`}</li>`;
}

function row({ id, title, verdict, value, explanation, details = [] }: Finding): string {
  return `<div class="finding" id="${html(id)}">
<dt>${icon(verdict)}<span>${html(title)}</span></dt>
<dd><p><span class="word ${verdict}">${VERDICTS[verdict].word}</span>${value === undefined ? '' : ` <code>${html(value)}</code>`}</p>
${explanation === undefined ? '' : `<p class="muted">${html(explanation)}</p>`}
${details.length === 0 ? '' : `<details><summary>Requests and responses</summary>${details.map((detail) => `<pre>${html(detail)}</pre>`).join('\n')}</details>`}</dd>
</div>`;
}

function leftBehind(left: readonly LeftBehind[]): string {
  if (left.length === 0) return '';
  const items = left.map((one) => `<li>${html(leftText(one))}</li>`);
  return `<section><h2>Left behind</h2>
<p>${LEFT_BEHIND}</p>
<ul>${items.join('\n')}</ul></section>`;
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const html = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
