/** Bundles the probe: see `bundleCommand`. */
import { bundleCommand } from '../../scripts/bundle/bundleCommand.mjs';

await bundleCommand(import.meta.dirname, { entryPoints: { main: 'src/main.ts' } });
