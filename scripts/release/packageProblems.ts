import { readFileSync } from 'node:fs';
import { importFromTool } from '../tools/install.ts';
import type { Manifest } from '../packages/workspaces.ts';
import { entryPointsOf } from './packages.ts';

/** The functions of publint that are used here. */
interface Publint {
  publint: (options: {
    pack: { tarball: ArrayBuffer };
    strict: boolean;
  }) => Promise<{ messages: unknown[]; pkg: Manifest }>;
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
  ) => Promise<{ types: false } | { types: object; problems: TypeProblem[] }>;
}

/** A problem that arethetypeswrong finds. */
interface TypeProblem {
  kind: string;
  entrypoint?: string;
  /** Way of resolving the entry point: `node10`, `node16-cjs`, `node16-esm` or `bundler`. */
  resolutionKind?: string;
}

/** What the checkers find in a package. */
interface PackageProblems {
  publint: string[];
  types: string[];
}

/** Ways of resolving types that a package with ES modules only doesn't support. */
const NEEDS_REQUIRE = ['node10', 'node16-cjs'];

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
  const modules = entryPointsOf(pkg);
  const exported = typeof pkg.exports === 'object' && pkg.exports !== null ? Object.keys(pkg.exports) : [];
  const excludeEntrypoints = exported.filter((path) => !modules.some((module) => module.path === path));
  const types = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints });
  return {
    publint: messages.map((message) => formatMessage(message, pkg, { color: false }) ?? 'unknown'),
    types:
      types.types === false
        ? modules.map((module) => `${module.path} has no types`)
        : describeProblems(
            types.problems,
            modules.some((module) => module.hasRequire),
          ),
  };
}

function describeProblems(problems: readonly TypeProblem[], hasRequire: boolean): string[] {
  return problems
    .filter(({ resolutionKind = '' }) => hasRequire || !NEEDS_REQUIRE.includes(resolutionKind))
    .map((problem) => {
      const { kind, entrypoint, resolutionKind } = problem;
      return entrypoint === undefined
        ? JSON.stringify(problem)
        : `${kind} ${entrypoint} ${resolutionKind ?? ''}`;
    });
}
