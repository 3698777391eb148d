/** Bundles the probe: see `bundleCommand`. The API's description becomes JSON in the bundle. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bundleCommand } from '../../scripts/bundle/bundleCommand.mjs';

const root = import.meta.dirname;

const apiDescription = {
  name: 'api-description',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]contract[\\/]apiDescription\.ts$/ }, async () => {
      const file = join(root, '../../shared/contract/openapi.yaml');
      const description = parse(await readFile(file, 'utf8'));
      return {
        contents: `export const API_DESCRIPTION = ${JSON.stringify(description)};`,
        watchFiles: [file],
      };
    });
  },
};

await bundleCommand(root, { entryPoints: { main: 'src/cli/main.ts' }, plugins: [apiDescription] });
