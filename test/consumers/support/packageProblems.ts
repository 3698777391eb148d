// Prints the problems that publint and arethetypeswrong find in a package's tarball. Both are ES modules only, so they
// can't run in the Jest process.
import { readFileSync } from 'node:fs';
import { importFromTool } from '../../../tools/install.ts';

/** The functions of publint that are used here. */
interface Publint {
  publint: (options: {
    pack: { tarball: ArrayBuffer };
    strict: boolean;
  }) => Promise<{ messages: unknown[]; pkg: object }>;
}
interface PublintUtils {
  formatMessage: (message: unknown, pkg: object, options: { color: boolean }) => string | undefined;
}

/** The functions of arethetypeswrong that are used here. */
interface AreTheTypesWrong {
  createPackageFromTarballData: (tarball: Uint8Array) => object;
  checkPackage: (
    found: object,
    options: { excludeEntrypoints: string[] },
  ) => Promise<{ types: false } | { types: object; entrypoints: object; problems: unknown[] }>;
}

const { publint } = await importFromTool<Publint>('package-checks', 'publint');
const { formatMessage } = await importFromTool<PublintUtils>('package-checks', 'publint/utils');
const { checkPackage, createPackageFromTarballData } = await importFromTool<AreTheTypesWrong>(
  'package-checks',
  '@arethetypeswrong/core',
);

const tarball = new Uint8Array(readFileSync(process.argv[2] ?? ''));
const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
// These aren't modules, so there is nothing to resolve.
const excludeEntrypoints = ['./openapi.yaml', './package.json'];
const types = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints });
console.log(
  JSON.stringify({
    publint: messages.map((message) => formatMessage(message, pkg, { color: false })),
    entryPoints: types.types === false ? [] : Object.keys(types.entrypoints),
    types: types.types === false ? ['no types'] : types.problems,
  }),
);
