import type { ApiExport, EntryPoint, Member } from './readApi.ts';

const KINDS = [
  ['class', 'Classes'],
  ['function', 'Functions'],
  ['constant', 'Constants'],
  ['type', 'Types'],
] as const;

/**
 * Describes the exports of the entry points in Markdown, one line each. A name's members are listed under the entry
 * point that exports it first.
 */
export function describeApi(entryPoints: readonly EntryPoint[]): string {
  const sections = entryPoints.map(
    ({ name, exports }) =>
      `## \`${name}\`\n\n${KINDS.map(([kind, title]) => group(title, ofKind(exports, kind))).join('')}`,
  );
  return `# API reference

Every export of the core, by entry point. \`npm run docs\` writes this page from the source: don't edit it.
Errors and examples are in the docstrings, which your editor shows; the [README](README.md) explains how to use it all.

${sections.join('')}`;
}

function ofKind(exports: readonly ApiExport[], kind: ApiExport['kind']): ApiExport[] {
  return exports.filter((each) => each.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function group(title: string, exports: readonly ApiExport[]): string {
  if (exports.length === 0) return '';
  return `### ${title}\n\n${exports.map(describeExport).join('')}\n`;
}

function describeExport(each: ApiExport): string {
  if (each.firstIn !== undefined) return line(each, ` See \`${each.firstIn}\`.`);
  return line(each) + each.members.map((member) => `  ${line(member, defaultOf(member))}`).join('');
}

function line({ signature, text }: Pick<Member, 'signature' | 'text'>, rest = ''): string {
  const fence = signature.includes('`') ? '``' : '`';
  const summary = `${firstSentence(text)}${rest}`.trim();
  return `- ${fence}${signature}${fence}${summary && ` — ${summary}`}\n`;
}

function defaultOf({ defaultText }: Member): string {
  if (defaultText === undefined) return '';
  return ` Default: ${defaultText.includes(' ') ? defaultText : `\`${defaultText}\``}.`;
}

/** The first sentence of a docstring, on one line. */
function firstSentence(text: string): string {
  const [paragraph = ''] = text.split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\{@link (\w+)\}/g, '`$1`');
  const [sentence = ''] = line.split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e)\.)\s+(?=[^a-z])/, 1);
  return sentence;
}
