import type { CreatedCode } from './platforms.ts';

/** A code with the paths of its images, relative to the sheet, by format. */
type SheetCode = CreatedCode & { files: Record<string, string> };

/**
 * The codes as a single HTML page that needs no server, scripts or network.
 * @param inspector where the emulator's inspector is, and the short links, while it runs
 */
export function contactSheetHtml(codes: readonly SheetCode[], inspector: string): string {
  const now = new Date().toISOString().slice(0, 16).replace('T', ' ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>QR codes from a sheet</title>
<style>${STYLE}</style>
</head>
<body>
<h1>QR codes from a sheet</h1>
<p>${codes.length} codes, created ${now} UTC. As rows: <a href="codes.csv">codes</a>, <a href="events.csv">events</a>, <a href="scans.csv">scans</a></p>
<p>While <code>npm start</code> is open, short links lead to their destinations, and ${link(inspector)} shows requests and deliveries.</p>
<ul>
${codes.map(card).join('\n')}
</ul>
</body>
</html>
`;
}

function card({ code, targetUrl, createdIn, isRetargeted, files }: SheetCode): string {
  const changed = isRetargeted ? '<span class="badge changed">destination updated</span>' : '';
  const downloads = Object.entries(files).map(
    ([format, path]) => `<a href="${escape(path)}" download>${format.toUpperCase()}</a>`,
  );
  return `<li><img src="${escape(files['svg'] ?? '')}" alt="QR code of ${escape(code.name)}" width="180" height="180">
<h2>${escape(code.name)}</h2><p><span class="badge">${createdIn}</span>${changed}</p>
<dl><dt>Short link</dt><dd>${link(code.publicUrl)}</dd><dt>Destination</dt><dd>${link(targetUrl)}</dd></dl>
<p class="files">${downloads.join(' ')}</p></li>`;
}

function link(url: string): string {
  return `<a href="${escape(url)}">${escape(url.replace(/^https?:\/\//, ''))}</a>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const STYLE = `
:root{color-scheme:light dark;--line:#d7dae0;--soft:#f5f6f8;--text:#1b1f27;--quiet:#596170;--link:#1f5fbf;--card:#fff}
@media(prefers-color-scheme:dark){:root{--line:#343a46;--soft:#14171d;--text:#e8eaee;--quiet:#a3abba;--link:#8db7ff;--card:#1d2129}}
*{box-sizing:border-box}
body{max-width:76rem;margin:0 auto;padding:1rem 1.25rem;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--soft)}
h1{margin:.5rem 0 0;font-size:1.75rem}h2{margin:.75rem 0 0;font-size:1rem;overflow-wrap:anywhere}
p{margin:.25rem 0 .75rem;color:var(--quiet)}a{color:var(--link)}
ul{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;display:flex;flex-direction:column}
img{background:#fff;border-radius:.5rem;align-self:center;max-width:100%;height:auto}
.badge{font-size:.75rem;border:1px solid var(--line);border-radius:1rem;padding:.05rem .5rem;margin-right:.25rem}
.changed{border-color:currentColor;color:var(--link)}
dl{margin:0;font-size:.85rem}dt{color:var(--quiet);font-size:.75rem}dd{margin:0 0 .3rem;overflow-wrap:anywhere}
.files{margin:auto 0 0;padding-top:.5rem;font-size:.85rem}.files a{margin-right:.75rem}
@media print{li{break-inside:avoid}}
`;
