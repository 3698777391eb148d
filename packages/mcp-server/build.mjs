/**
 * Bundles the server, the core and all libraries into dist/, as ES modules: the package has no runtime dependencies, so
 * `npx` installs one small package. What only HTTP mode needs becomes a chunk of its own. Writes the licences of the
 * libraries next to it.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');

/** The SDK's packages each have their own copy of zod. All of them, and the server, get the server's, in English only. */
const oneZod = {
  name: 'one-zod',
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === oneZod ? undefined : build.resolve(path, { resolveDir: root, kind, pluginData: oneZod }),
    );
    build.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

// Declarations of `tsc -b` stay: they are built separately.
await mkdir(dist, { recursive: true });
for (const name of await readdir(dist))
  if (name !== 'types') await rm(join(dist, name), { recursive: true, force: true });

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  alias: {
    // The SDK's default brings ajv, a third of the bundle. It would only validate replies to questions to the user.
    '@modelcontextprotocol/server/_shims': './src/server/sdkShims.ts',
  },
  // For CommonJS libraries.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [oneZod],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  minify: true,
  lineLimit: 160,
  metafile: true,
  logLevel: 'warning',
});

await writeLicenses(Object.keys(metafile.inputs));

/** Writes the licence of each bundled library to dist/THIRD-PARTY-LICENSES.txt. */
async function writeLicenses(inputs) {
  const folders = new Set(
    inputs.flatMap((input) => {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
      return folder === undefined ? [] : [join(root, folder)];
    }),
  );
  const texts = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined)
        throw new Error(`${relative(root, folder).split(sep).join('/')} has no licence file`);
      return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
    }),
  );
  const unique = [...new Set(texts)].sort();
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), unique.join(`\n${'-'.repeat(80)}\n\n`));
}
