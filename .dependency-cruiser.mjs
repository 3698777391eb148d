/**
 * The layers of each package, lowest first: a folder may import from its own layer and from those before it. Folders of
 * one layer don't know each other. See "The house" in README.md.
 */
export const LAYERS = {
  'shared/src': ['contract', 'json', 'errors', 'wire', ['client', 'webhook'], 'connector'],
  'packages/emulator/src': [
    ['config', 'validation', 'render'],
    'faults',
    'store',
    'domain',
    'delivery',
    'control',
    'http',
    'inspector',
    'emulator',
    'cli',
  ],
  'packages/emulator/src/http/api': [['request', 'response'], 'middleware', 'routes'],
};

const folders = (layer) => [layer].flat();
const within = (root, names) => `^${root}/(${names.join('|')})/`;

/** One rule for each folder: it imports nothing from its neighbours in the layer and nothing from the layers after it. */
const layerRules = Object.entries(LAYERS).flatMap(([root, layers]) =>
  layers.flatMap((layer, index) =>
    folders(layer).flatMap((folder) => {
      const later = layers.slice(index + 1).flatMap(folders);
      const forbidden = [...folders(layer).filter((other) => other !== folder), ...later];
      if (forbidden.length === 0) return [];
      return {
        name: `${root}/${folder}: lower layers only`,
        severity: 'error',
        from: { path: within(root, [folder]) },
        to: { path: within(root, forbidden) },
      };
    }),
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle-between-folders',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circle-between-files',
      comment: 'A circle of types alone is harmless.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...layerRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)(dist|node_modules)/', '\\.test\\.ts$'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@qr-service/source', 'import', 'require', 'default'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
};
