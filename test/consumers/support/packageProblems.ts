// Prints what publint and arethetypeswrong find in a package's tarball. Both are ES modules only, so they run
// here and not in the test.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const tarball = new Uint8Array(readFileSync(process.argv[2] ?? ''));
const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
// A description is no module: nothing to resolve.
const excludeEntrypoints = ['./openapi.yaml', './package.json'];
const types = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints });
console.log(
  JSON.stringify({
    publint: messages.map((message) => formatMessage(message, pkg, { color: false })),
    entryPoints: types.types === false ? [] : Object.keys(types.entrypoints),
    types: types.types === false ? ['no types'] : types.problems,
  }),
);
