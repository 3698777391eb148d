import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Folders without pages of our own. */
const SKIPPED = ['node_modules', 'dist', 'out', 'build'];

/** Links to a file or folder of the repository, as packages need them in their READMEs on npm. */
const ON_GITHUB = /^https:\/\/github\.com\/qr-service\/qr-service-connector\/(?:blob|tree)\/main\//;

/** The same links anywhere in a text. */
const ALL_ON_GITHUB = new RegExp(`${ON_GITHUB.source.slice(1)}[\\w./#-]*\\w`, 'g');

/** All Markdown files of the repository, relative to its root, sorted. */
export function markdownFiles(root: string): string[] {
  return globSync(['*.md', '.*/**/*.md', '*/**/*.md'], {
    cwd: root,
    exclude: (path) => SKIPPED.includes(path.split(/[\\/]/).at(-1) ?? path),
  }).sort();
}

/**
 * The links of a page, to files, folders or headings, that don't exist. Links to other sites aren't checked.
 * @param file relative to the root
 * @param text the page's text; by default, that of the file
 */
export function brokenLinks(
  root: string,
  file: string,
  text = readFileSync(join(root, file), 'utf8'),
): string[] {
  return links(text).filter((link) => {
    const local = ON_GITHUB.test(link) ? `/${link.replace(ON_GITHUB, '')}` : link;
    if (/^[a-z][a-z+.-]*:/i.test(local)) return false;
    const [path = '', heading] = decodeURI(local).split('#', 2);
    const target = path.startsWith('/') ? join(root, path) : join(root, dirname(file), path);
    if (relative(root, target).startsWith('../..') || !existsSync(target)) return true;
    if (heading === undefined) return false;
    if (path === '') return !headings(text).includes(heading);
    const isFolder = statSync(target).isDirectory();
    // GitHub shows a folder's README below its files, under this anchor.
    if (isFolder && heading === 'readme') return !existsSync(join(target, 'README.md'));
    const page = isFolder ? join(target, 'README.md') : target;
    if (!page.endsWith('.md')) return false;
    return !existsSync(page) || !headings(readFileSync(page, 'utf8')).includes(heading);
  });
}

/** Links anywhere in a source file, such as a node's documentation link, to what this repository doesn't have. */
export function brokenSourceLinks(root: string, file: string): string[] {
  const urls = readFileSync(join(root, file), 'utf8').match(ALL_ON_GITHUB) ?? [];
  return brokenLinks(root, file, urls.map((url) => `[a](${url})`).join('\n'));
}

/** Files of the repository other than pages that may link to it. */
export function sourceFiles(root: string): string[] {
  return globSync('{packages,shared,.github,.changeset}/**/*.{html,json,mjs,ts,yaml,yml}', {
    cwd: root,
    exclude: (path) => ['test', ...SKIPPED].includes(path.split(/[\\/]/).at(-1) ?? path),
  }).sort();
}

/** Targets of all links and images, in prose and in HTML. */
function links(text: string): string[] {
  const prose = withoutCode(text);
  const found = [/\]\(<?([^\s)>]+)>?(?: "[^"]*")?\)/g, /^\[[^\]]+\]: (\S+)/gm, /(?:src|href)="([^"]+)"/g];
  return found.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, link = '']) => link));
}

/** The anchors of a page's headings, as GitHub makes them. */
function headings(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => {
    const anchor = title
      .trim()
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function withoutCode(text: string): string {
  return withoutFences(text).replace(/`[^`\n]+`/g, '');
}

function withoutFences(text: string): string {
  let fence: string | undefined;
  const lines = text.split('\n').filter((line) => {
    const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === undefined;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return false;
  });
  return lines.join('\n');
}
