/** Bundles the server: see `bundleCommand`. What only HTTP mode needs becomes a chunk of its own. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { bundleCommand } from '../../scripts/bundle/bundleCommand.mjs';

const root = import.meta.dirname;

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

await bundleCommand(root, {
  entryPoints: ['src/main.ts'],
  splitting: true,
  alias: {
    // The SDK's default brings ajv, a third of the bundle. It would only validate replies to questions to the user.
    '@modelcontextprotocol/server/_shims': './src/server/sdkShims.ts',
  },
  plugins: [oneZod, builtins, usedSchemas],
});
