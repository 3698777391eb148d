import { globSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = `${ROOT}/shared/src`;

/** The picture's arrows, from each box to those that it may import. */
const arrows = new Map<string, string[]>();
const picture = /```mermaid\n(.*?)```/s.exec(readFileSync(`${ROOT}/docs/architecture.md`, 'utf8'))?.[1] ?? '';
for (const line of picture.replaceAll(/\["[^"]*"\]/g, '').split('\n')) {
  const steps = line.split('-->').map((side) => side.split('&').map((box) => box.trim()));
  for (const [index, boxes] of steps.entries())
    for (const box of boxes) arrows.set(box, [...(arrows.get(box) ?? []), ...(steps[index + 1] ?? [])]);
}

/** Everything below a box. */
function below(box: string): string[] {
  return (arrows.get(box) ?? []).flatMap((next) => [next, ...below(next)]);
}

it('the picture shows every folder of the core', () => {
  const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !below('entry').includes(name))).toEqual([]);
});

it('the core imports only along the arrows of the picture', () => {
  const files = globSync('**/*.ts', { cwd: SOURCE, exclude: (file) => file.endsWith('.test.ts') });
  const imports = files.flatMap((file) => {
    const layer = file.includes('/') ? file.split('/', 1)[0]! : 'entry';
    const text = readFileSync(`${SOURCE}/${file}`, 'utf8');
    return [...text.matchAll(/ from '(\.\.?\/[^']+)'/g)].flatMap(([, path = '']) => {
      const imported = new URL(path, `file:///${file}`).pathname.slice(1);
      const target = imported.includes('/') ? imported.split('/', 1)[0]! : 'entry';
      return target === layer ? [] : [{ file, layer, target }];
    });
  });
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ layer, target }) => !below(layer).includes(target))).toEqual([]);
});

it('the picture shows no arrow from one package to another', () => {
  expect(below('emulator')).not.toContain('adapters');
  expect(below('adapters')).not.toContain('emulator');
  expect(below('connector')).not.toContain('adapters');
});
