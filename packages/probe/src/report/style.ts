/** Style of the page, for light and dark screens and for paper. */
export const STYLE = `
:root{color-scheme:light dark;--text:#1d2433;--muted:#566072;--line:#dfe3ea;--back:#f5f6f8;--card:#fff;
--works:#157a43;--differs:#8f5b00;--fails:#c0262d;--unknown:#5b6475}
@media (prefers-color-scheme:dark){:root{--text:#e6e9ef;--muted:#a3adbd;--line:#343c4b;--back:#13171f;--card:#1b212c;
--works:#4fcb86;--differs:#f0b445;--fails:#ff7b7b;--unknown:#9aa5b8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem 3rem;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,section{margin-bottom:1.25rem}
h1{margin:0;font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}
h2{margin:0 0 .5rem;font-size:1.1rem;line-height:1.3}
p,ul,dl{margin:.25rem 0}
dd{margin:0;min-width:0}
.tool{margin:0;color:var(--muted);font-size:.85rem}
.muted{color:var(--muted)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.25rem}
.summary{border-left:6px solid var(--unknown)}
.summary.works{border-left-color:var(--works)}
.summary.differs{border-left-color:var(--differs)}
.summary.fails{border-left-color:var(--fails)}
.summary h2{font-size:1.25rem}
.icon{display:inline-block;width:1.4em;font-weight:700;text-align:center;flex:none}
.icon.works,.word.works{color:var(--works)}
.icon.differs,.word.differs{color:var(--differs)}
.icon.fails,.word.fails{color:var(--fails)}
.icon.unknown,.word.unknown{color:var(--unknown)}
.word{font-weight:600}
.finding{display:grid;grid-template-columns:minmax(13rem,2fr) 3fr;gap:.1rem 1rem;padding:.5rem 0;
border-top:1px solid var(--line)}
.finding:first-child{border-top:0}
.finding:target{outline:2px solid var(--differs);outline-offset:2px}
dt{display:flex}
dd p:first-child{margin:0}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere;unicode-bidi:isolate}
pre{margin:.5rem 0 0;padding:.75rem;background:var(--back);border:1px solid var(--line);border-radius:6px;
white-space:pre-wrap;overflow-wrap:anywhere}
a{color:inherit}
ul{padding-left:1.25rem}
.legend{padding:0;list-style:none}
.legend li{padding-left:1.6em;text-indent:-1.6em}
.legend .icon{text-indent:0}
.finding:last-child{padding-bottom:0}
summary{cursor:pointer;color:var(--muted)}
footer{font-size:.85rem}
@media (max-width:38rem){body{padding:1rem .75rem 2rem}section{padding:.75rem .9rem}
.finding{grid-template-columns:1fr}dd{padding-left:1.4em}}
@media print{:root{color-scheme:light;--text:#000;--muted:#444;--line:#bbb;--back:#fff;--card:#fff;
--works:#0b5c30;--differs:#704700;--fails:#a01018;--unknown:#444}
body{max-width:none;padding:0;font-size:11pt}section{border:0;padding:0;border-radius:0}
.summary{border-left:4px solid var(--unknown);padding-left:.75rem}.finding{break-inside:avoid}}
`;
