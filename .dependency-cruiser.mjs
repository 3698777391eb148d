/**
 * The layers of each folder, lowest first: a subfolder may import from its own layer and from those before it. Subfolders
 * of one layer don't know each other. `.` stands for the folder's own files.
 */
const LAYERS = {
  '': ['shared', 'packages', 'engines', 'scripts', 'demo', 'test'],
  test: [
    'support',
    ['consumers', 'contract', 'docs', 'e2e', 'mcp', 'n8n', 'probe', 'zapier'],
    ['bench', 'middleboxes'],
  ],
  'test/e2e': ['support', ['inspector', 'n8n', 'queue'], '.'],
  scripts: [['bundle', 'mutate', 'process', 'terminal'], '.', ['release', 'tools'], 'zapier'],
  packages: [['emulator', 'mcp-server', 'n8n-nodes-qr-service', 'probe', 'zapier-qr-service']],
  'shared/src': ['contract', 'json', 'errors', 'wire', ['client', 'webhook'], 'connector', '.'],
  'shared/src/connector': ['inputs', 'errors', 'qrCodes', '.'],
  'packages/emulator/src': [
    'validation',
    'config',
    'faults',
    'store',
    'domain',
    'delivery',
    'control',
    'http',
    'inspector',
    '.',
  ],
  'packages/emulator/src/http': ['.', 'api'],
  'packages/mcp-server/src': [
    ['config', 'errors'],
    'schemas',
    'session',
    'tools',
    'server',
    'transports',
    '.',
  ],
  'packages/n8n-nodes-qr-service': ['.', 'nodes', 'credentials', 'test'],
  'packages/n8n-nodes-qr-service/nodes': [
    'platform',
    ['QrService', 'QrServicePollingTrigger', 'QrServiceTrigger'],
  ],
  'packages/n8n-nodes-qr-service/nodes/platform': ['.'],
  'packages/n8n-nodes-qr-service/nodes/QrService': ['common', ['operations', 'methods'], '.'],
  'packages/probe/src': ['findings', ['http', 'webhook'], ['checks', 'report'], '.'],
  'packages/zapier-qr-service/src': [
    'inputs',
    'client',
    'errors',
    'resources',
    ['creates', 'searches', 'triggers'],
    '.',
  ],
};

/** A package's own tests may import what all tests share, and its build what all builds share. */
const NOT_SHIPPED = '^packages/[^/]+/(test/|build\\.mjs$)';

const folders = (layer) => [layer].flat();
const below = (root) => (root === '' ? '^' : `^${root}/`);
const within = (root, names) =>
  `${below(root)}(${names.map((name) => (name === '.' ? '[^/]+$' : `${name}/`)).join('|')})`;

/** One rule for each folder: it imports nothing from its neighbors in the layer and nothing from the layers after it. */
const layerRules = Object.entries(LAYERS).flatMap(([root, layers]) =>
  layers.flatMap((layer, index) =>
    folders(layer).flatMap((folder) => {
      const later = layers.slice(index + 1).flatMap(folders);
      const forbidden = [...folders(layer).filter((other) => other !== folder), ...later];
      if (forbidden.length === 0) return [];
      return {
        name: `${root}/${folder}: lower layers only`,
        severity: 'error',
        from: { path: within(root, [folder]), ...(root === '' && { pathNot: NOT_SHIPPED }) },
        to: { path: within(root, forbidden) },
      };
    }),
  ),
);

/** A new folder needs its layer before its files can import or be imported. */
const placeRules = Object.entries(LAYERS).flatMap(([root, layers]) => {
  if (root === '') return [];
  const unplaced = { path: `${below(root)}[^/]+/`, pathNot: within(root, layers.flatMap(folders)) };
  const rule = { name: `${root}: add the folder to LAYERS`, severity: 'error' };
  return [
    { ...rule, from: unplaced, to: {} },
    { ...rule, from: {}, to: unplaced },
  ];
});

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
    {
      name: 'no-import-of-tests',
      comment: 'What ships knows no tests.',
      severity: 'error',
      from: { path: '^(shared/src|packages/[^/]+/(src|nodes|credentials))/' },
      to: { path: '/test/' },
    },
    ...layerRules,
    ...placeRules,
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
