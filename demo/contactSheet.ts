/** A code on the contact sheet. Its paths are relative to the sheet. */
export interface SheetCode {
  name: string;
  publicUrl: string;
  targetUrl: string;
  /** Whether its destination was changed after it was created. */
  retargeted: boolean;
  createdIn: 'n8n' | 'Zapier';
  /** Image to display. */
  image: string;
  files: { label: string; href: string }[];
}

/** What the contact sheet shows. */
interface ContactSheet {
  codes: SheetCode[];
  events: Record<string, unknown>[];
  scans: Record<string, unknown>[];
  /** Deliveries that started no run, with the platform's response. */
  hostile: { what: string; response: string }[];
  /** ISO 8601 time. */
  createdAt: string;
}

/** The contact sheet as a single HTML page that needs no server, scripts or network. */
export function contactSheetHtml(sheet: ContactSheet): string {
  const count = (rows: readonly unknown[], noun: string) =>
    `${rows.length} ${noun}${rows.length === 1 ? '' : 's'}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>QR codes from a sheet</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>QR codes from a sheet</h1>
<p>${count(sheet.codes, 'code')}, ${count(sheet.events, 'signed event')}, ${count(sheet.scans, 'scan')}. Created ${escape(sheet.createdAt.slice(0, 16).replace('T', ' '))} UTC.</p>
<nav aria-label="Sections"><a href="#codes">Codes</a> <a href="#events">Events</a> <a href="#hostile">Hostile deliveries</a> <a href="#scans">Scans</a></nav>
</header>
<main>
<section id="codes"><h2>Codes</h2>
<ul class="codes">
${sheet.codes.map(card).join('\n')}
</ul></section>
<section id="events"><h2>Events</h2>
<p>Each signature was verified, and each event started one run. <a href="events.csv">events.csv</a></p>
${htmlTable(sheet.events, ['receivedBy', 'type', 'occurredAt', 'name', 'status', 'score', 'eventId'])}</section>
<section id="hostile"><h2>Hostile deliveries</h2>
<p>None of these started a run.</p>
${htmlTable(sheet.hostile, ['what', 'response'])}</section>
<section id="scans"><h2>Scans</h2>
<p>Found by the polling trigger. <a href="scans.csv">scans.csv</a></p>
${htmlTable(sheet.scans, ['scannedAt', 'qrId', 'device', 'os', 'browser'])}</section>
</main>
</body>
</html>
`;
}

function card(code: SheetCode): string {
  const files = code.files
    .map((file) => `<a href="${escape(file.href)}" download>${escape(file.label)}</a>`)
    .join(' ');
  const badges = [
    `<span class="badge">${code.createdIn}</span>`,
    code.retargeted ? '<span class="badge changed">destination updated</span>' : '',
  ].join('');
  return `<li><img src="${escape(code.image)}" alt="QR code of ${escape(code.name)}" width="180" height="180" loading="lazy">
<h3>${escape(code.name)}</h3><p class="badges">${badges}</p>
<dl><dt>Short link</dt><dd><a href="${escape(code.publicUrl)}">${escape(withoutScheme(code.publicUrl))}</a></dd>
<dt>Destination</dt><dd><a href="${escape(code.targetUrl)}">${escape(withoutScheme(code.targetUrl))}</a></dd></dl>
<p class="files">${files}</p></li>`;
}

function htmlTable(rows: readonly object[], columns: readonly string[]): string {
  if (rows.length === 0) return '<p>None.</p>';
  const cell = (row: object, key: string) => `<td>${escape((row as Record<string, unknown>)[key])}</td>`;
  const head = columns.map((key) => `<th scope="col">${escape(heading(key))}</th>`).join('');
  const body = rows.map((row) => `<tr>${columns.map((key) => cell(row, key)).join('')}</tr>`).join('\n');
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`;
}

function heading(key: string): string {
  const words = key.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const acronyms = words.replaceAll(/\b(?:id|os|qr)\b/g, (word) => word.toUpperCase());
  return acronyms.charAt(0).toUpperCase() + acronyms.slice(1);
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

function escape(value: unknown): string {
  const text =
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

const STYLE = `
:root{color-scheme:light dark;--line:#d7dae0;--soft:#f5f6f8;--text:#1b1f27;--quiet:#596170;--link:#1f5fbf;--card:#fff}
@media(prefers-color-scheme:dark){:root{--line:#343a46;--soft:#14171d;--text:#e8eaee;--quiet:#a3abba;--link:#8db7ff;--card:#1d2129}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--text);background:var(--soft)}
header,main{max-width:76rem;margin:0 auto;padding:1rem 1.25rem}
h1{margin:.5rem 0 0;font-size:1.75rem}h2{margin:2rem 0 .5rem;font-size:1.25rem}
header p,section>p{margin:.25rem 0 .75rem;color:var(--quiet)}
a{color:var(--link)}nav a{margin-right:1rem}
.codes{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
.codes li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;display:flex;flex-direction:column}
.codes img{background:#fff;border-radius:.5rem;align-self:center;max-width:100%;height:auto}
.codes h3{margin:.75rem 0 0;font-size:1rem;overflow-wrap:anywhere}
.badges{margin:.25rem 0}.badge{font-size:.75rem;border:1px solid var(--line);border-radius:1rem;padding:.05rem .5rem;margin-right:.25rem;color:var(--quiet)}
.changed{border-color:currentColor;color:var(--link)}
dl{margin:.25rem 0;font-size:.85rem}dt{color:var(--quiet);font-size:.75rem}dd{margin:0 0 .3rem;overflow-wrap:anywhere}
.files{margin:auto 0 0;padding-top:.5rem;font-size:.85rem}.files a{margin-right:.75rem}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;background:var(--card);max-height:28rem;overflow-y:auto}
table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{text-align:left;padding:.4rem .75rem;border-bottom:1px solid var(--line);white-space:nowrap}
thead th{position:sticky;top:0;background:var(--card)}
@media print{body{background:#fff}.codes li{break-inside:avoid}nav,#events,#scans,#hostile{display:none}}
`;
