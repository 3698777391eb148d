import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tools = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe.each(tools)('%s', (tool) => {
  const read = (file: string) => readFileSync(join(__dirname, tool, file), 'utf8');

  test('pins exact versions', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    expect(
      Object.values(dependencies).filter(
        (version) => !/^(?:npm:\w+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      ),
    ).toEqual([]);
  });

  test('has a lock file that works with any registry', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/);
    expect(read('.npmrc').split('\n')).toContain('omit-lockfile-registry-resolved=true');
  });

  test('runs no install scripts', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });
});
