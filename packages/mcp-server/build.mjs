/** Bundles the server: see `bundleCommand`. What only HTTP needs becomes a chunk of its own. */
import { bundleCommand } from '../../scripts/bundle/bundleCommand.mjs';

await bundleCommand(import.meta.dirname, {
  entryPoints: ['src/main.ts'],
  splitting: true,
  alias: {
    // One copy for all: each package of the SDK has its own.
    zod: 'zod',
    '@modelcontextprotocol/server/_shims': './sdkShims.mjs',
  },
});
