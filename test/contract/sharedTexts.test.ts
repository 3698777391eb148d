import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const PACKAGES = join(__dirname, '../../packages');
const N8N = ['n8n-nodes-qr-service/nodes', 'n8n-nodes-qr-service/credentials'];
const ZAPIER = ['zapier-qr-service/src'];

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

test('texts used on both platforms are defined once, in the core', () => {
  const inZapier = new Set(sentencesOf(ZAPIER));
  const inN8n = sentencesOf(N8N);
  expect(Math.min(inZapier.size, inN8n.length)).toBeGreaterThan(20);
  expect(inN8n.filter((sentence) => inZapier.has(sentence))).toEqual([]);
});
