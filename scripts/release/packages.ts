/** A package that is published on npm. */
export interface ReleasedPackage {
  name: string;
  /** Relative to the repository. */
  folder: string;
  /** Limit of the packed size, in kB. Raise it only for a reason that its users would accept. */
  maxPackedKb: number;
  /** Ways of resolving types that the package doesn't support, as arethetypeswrong names them. */
  withoutTypesFor: readonly string[];
  /** A script in `smoke/` that uses the installed package. */
  smoke: string;
}

/** In the order of publishing: the core first, as the emulator depends on it. All have the same version. */
export const RELEASED: readonly ReleasedPackage[] = [
  {
    name: '@qr-service/core',
    folder: 'shared',
    maxPackedKb: 250,
    withoutTypesFor: [],
    smoke: 'core.mjs',
  },
  {
    name: 'qr-service-emulator',
    folder: 'packages/emulator',
    maxPackedKb: 250,
    // It has ES modules only.
    withoutTypesFor: ['node10', 'node16-cjs'],
    smoke: 'emulator.mjs',
  },
  {
    name: 'n8n-nodes-qr-service',
    folder: 'packages/n8n-nodes-qr-service',
    maxPackedKb: 250,
    withoutTypesFor: [],
    smoke: 'n8n.mjs',
  },
  {
    name: 'qr-service-mcp',
    folder: 'packages/mcp-server',
    maxPackedKb: 150,
    // It has a command only.
    withoutTypesFor: [],
    smoke: 'mcp.mjs',
  },
];

/** Where `release:check` puts the tarballs and `release:publish` takes them from, relative to the repository. */
export const OUTPUT_FOLDER = 'out/release';
