// node packageProblems.ts <tarball>    prints what publint and arethetypeswrong find in a package's tarball, as JSON
// Both are ES modules only, so they can't run in the Jest process.
import { readFileSync } from 'node:fs';
import { importFromTool } from '../../tools/install.ts';

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
  ) => Promise<{ types: false } | { types: object; entrypoints: object; problems: TypeProblem[] }>;
}

/** A problem that arethetypeswrong finds. */
export interface TypeProblem {
  kind: string;
  entrypoint?: string;
  /** Way of resolving the entry point: `node10`, `node16-cjs`, `node16-esm` or `bundler`. */
  resolutionKind?: string;
}

/** What the checkers say of a package. */
export interface PackageProblems {
  publint: string[];
  /** Entry points with types, without those that aren't modules. */
  entryPoints: string[];
  types: TypeProblem[];
}

/** Returns what publint and arethetypeswrong find in a tarball. The tool `package-checks` must be installed. */
export async function findPackageProblems(file: string): Promise<PackageProblems> {
  const { publint } = await importFromTool<Publint>('package-checks', 'publint');
  const { formatMessage } = await importFromTool<PublintUtils>('package-checks', 'publint/utils');
  const { checkPackage, createPackageFromTarballData } = await importFromTool<AreTheTypesWrong>(
    'package-checks',
    '@arethetypeswrong/core',
  );

  const tarball = new Uint8Array(readFileSync(file));
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  // These aren't modules, so there is nothing to resolve.
  const excludeEntrypoints = ['./openapi.yaml', './package.json'];
  const types = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints });
  return {
    publint: messages.map((message) => formatMessage(message, pkg, { color: false }) ?? 'unknown'),
    entryPoints: types.types === false ? [] : Object.keys(types.entrypoints),
    types: types.types === false ? [] : types.problems,
  };
}

if (import.meta.main) console.log(JSON.stringify(await findPackageProblems(process.argv[2] ?? '')));
