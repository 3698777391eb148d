import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Links and images in the text, not those in code. */
const LINK = /\]\(([^()\s]+)\)/g;
const DEFINITION = /^\[[^\]]+\]: (\S+)$/;

/** Returns the links of a Markdown file that lead to no file or heading. Web addresses aren't checked. */
export function findBrokenLinks(file: string): string[] {
  return linksIn(readFileSync(file, 'utf8')).filter((link) => !leadsSomewhere(file, link));
}

function linksIn(markdown: string): string[] {
  return textLines(markdown).flatMap((line) => {
    const text = line.replaceAll(/`[^`]*`/g, '');
    const definition = DEFINITION.exec(text)?.[1];
    const links = [...text.matchAll(LINK)].map(([, link = '']) => link);
    return definition === undefined ? links : [definition, ...links];
  });
}

/** The lines outside of code blocks. */
function textLines(markdown: string): string[] {
  let isCode = false;
  return markdown.split('\n').filter((line) => {
    if (!line.trimStart().startsWith('```')) return !isCode;
    isCode = !isCode;
    return false;
  });
}

function leadsSomewhere(from: string, link: string): boolean {
  if (/^(?:https?|mailto):/.test(link)) return true;
  const [target = '', anchor] = decodeURI(link).split('#', 2);
  const file = target === '' ? from : path.join(path.dirname(from), target);
  if (!existsSync(file)) return false;
  return anchor === undefined || !file.endsWith('.md') || anchorsIn(file).includes(anchor);
}

/** The anchors that GitHub gives to headings. */
function anchorsIn(file: string): string[] {
  const seen = new Map<string, number>();
  return textLines(readFileSync(file, 'utf8')).flatMap((line) => {
    const title = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (title === undefined) return [];
    const anchor = title
      .trim()
      .replaceAll(LINK, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return [count === 0 ? anchor : `${anchor}-${count}`];
  });
}
