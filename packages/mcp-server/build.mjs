/**
 * Bundles the server, the core and all libraries into dist/, as ES modules: the package has no runtime dependencies, so
 * `npx` installs one small package. What only HTTP mode needs becomes a chunk of its own. Writes the licenses of the
 * libraries next to it. With --readable FOLDER it only writes a bundle there that isn't minified, and whose comments say
 * where each part is from.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { writeLicenses } from '../../scripts/bundle/writeLicenses.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { readable } = parseArgs({ options: { readable: { type: 'string' } } }).values;

/**
 * The SDK's packages each have their own copy of zod. All of them, and the server, get the server's. The server's own
 * `z` becomes a namespace import: only that lets the bundler drop what isn't used, such as all languages but English.
 */
const oneZod = {
  name: 'one-zod',
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === oneZod ? undefined : build.resolve(path, { resolveDir: root, kind, pluginData: oneZod }),
    );
    build.onLoad({ filter: /[\\/]mcp-server[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("import { z } from 'zod'", "import * as z from 'zod'"),
      loader: 'ts',
    }));
  },
};

/**
 * Takes Node.js's own modules without `import`, which reads each of their properties, also those that load something
 * when they are read: node:http would load undici, which takes 10 MB.
 */
const builtins = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => {
      const properties = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)),
      ).filter(([name, { get }]) => get === undefined && /^[A-Za-z]\w*$/.test(name) && name !== 'default');
      return {
        contents: [
          `const builtin = process.getBuiltinModule('${path}');`,
          'export default builtin;',
          // Those that nothing imports are dropped.
          ...properties.map(([name]) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
        ].join('\n'),
      };
    });
  },
};

/**
 * Drops the SDK's schemas that nothing uses, which take 3 MB of memory: marks the creation of each as free of side
 * effects, and removes the table of all schemas that the SDK offers to applications.
 */
const usedSchemas = {
  name: 'used-schemas',
  setup(build) {
    const missing = new Set();
    const edit = (filter, pattern, replacement) => {
      missing.add(filter);
      build.onLoad({ filter }, async ({ path }) => {
        const code = await readFile(path, 'utf8');
        const contents = code.replaceAll(pattern, replacement);
        if (contents === code)
          throw new Error(`${basename(path)} of the MCP SDK has changed: adapt build.mjs.`);
        missing.delete(filter);
        return { contents };
      });
    };
    build.onEnd(({ errors }) => {
      if (errors.length === 0 && missing.size > 0)
        throw new Error(`The MCP SDK has no file ${[...missing].join(', ')} anymore: adapt build.mjs.`);
    });
    // A top-level constant ends with the last of the lines that are indented or start with a bracket.
    edit(
      /@modelcontextprotocol[\\/]core[\\/]dist[\\/](auth|schemas)-[^\\/]*\.mjs$/,
      /^(const \w+Schema = )(.*(?:\n[\t}\])].*)*);$/gm,
      '$1/* @__PURE__ */ (() => $2)();',
    );
    edit(
      /@modelcontextprotocol[\\/]server[\\/]dist[\\/]src-[^\\/]*\.mjs$/,
      /^for \(const .*\) register\(key, .*\);$/gm,
      '',
    );
  },
};

// Declarations of `tsc -b` stay: they are built separately.
if (readable === undefined) {
  await mkdir(dist, { recursive: true });
  for (const name of await readdir(dist))
    if (name !== 'types') await rm(join(dist, name), { recursive: true, force: true });
}

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir: readable ?? 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  alias: {
    // The SDK's default brings ajv, a third of the bundle. It would only validate replies to questions to the user.
    '@modelcontextprotocol/server/_shims': './src/server/sdkShims.ts',
  },
  plugins: [oneZod, builtins, usedSchemas],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  minify: readable === undefined,
  lineLimit: 160,
  metafile: true,
  logLevel: 'warning',
});

if (readable === undefined) await writeLicenses(root, dist, Object.keys(metafile.inputs));
