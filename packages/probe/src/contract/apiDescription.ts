import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);

/** `openapi.yaml` of the core as plain values. The build puts them into the bundle, in place of this module. */
export const API_DESCRIPTION: unknown = parse(
  readFileSync(require.resolve('@qr-service/core/openapi.yaml'), 'utf8'),
);
