import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const PACKAGES = join(__dirname, '../../packages');
const ADAPTERS = {
  n8n: ['n8n-nodes-qr-service/nodes', 'n8n-nodes-qr-service/credentials'],
  zapier: ['zapier-qr-service/src'],
  mcp: ['mcp-server/src'],
  probe: ['probe/src'],
};

/** The sentences in a file: string literals of three words or more. */
function sentencesIn(file: string): string[] {
  const sentences: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const text = node.text.trim();
      if (text.split(/\s+/).length >= 3) sentences.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023));
  return sentences;
}

const sentencesOf = (folders: readonly string[]) =>
  folders
    .map((folder) => join(PACKAGES, folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => sentencesIn(join(folder, file))),
    );

test.each([
  ['n8n', 'zapier'],
  ['n8n', 'mcp'],
  ['zapier', 'mcp'],
  ['n8n', 'probe'],
  ['zapier', 'probe'],
  ['mcp', 'probe'],
] as const)('texts used on %s and %s are defined once, in the core', (one, other) => {
  const first = new Set(sentencesOf(ADAPTERS[one]));
  const second = sentencesOf(ADAPTERS[other]);
  expect(Math.min(first.size, second.length)).toBeGreaterThan(20);
  expect(second.filter((sentence) => first.has(sentence))).toEqual([]);
});
