import { readFileSync } from 'node:fs';

/** Nothing is loaded, whatever a client allows. */
const CSP = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The page that shows results in a chat. */
export function readPage(): string {
  const read = (name: string) => readFileSync(new URL(`../assets/page.${name}`, import.meta.url), 'utf8');
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CSP}">
<title>QR codes</title>
<style>${read('css')}</style>
<main></main><footer></footer>
<script type="module">${read('js')}</script>`;
}
