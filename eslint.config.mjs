import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import jsdoc from 'eslint-plugin-jsdoc';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Imports go packages → shared only: never between packages, never back, and the core imports no platform. */
const arrows = (allowed, files, forbidden) => ({
  files: [files],
  ignores: ['packages/*/test/**', 'packages/*/build.mjs'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group: forbidden, message: `Imports go packages → shared: ${allowed}.` }] },
    ],
  },
});
const PACKAGES = [
  'qr-service-emulator',
  'n8n-nodes-qr-service',
  'zapier-qr-service',
  'qr-service-mcp',
  'qr-service-probe',
];
/** Folders in packages/ that aren't named like their package. */
const FOLDERS = {
  'qr-service-emulator': 'emulator',
  'qr-service-mcp': 'mcp-server',
  'qr-service-probe': 'probe',
};
const PLATFORMS = ['n8n-*', 'zapier-*', '@n8n/*', '@modelcontextprotocol/*'];
const WORKSPACE = [
  '**/packages/**',
  '**/engines/**',
  '**/demo/**',
  '**/test/**',
  '**/scripts/**',
  '**/shared/src/**',
];

/** Expressions can return any value, so one module of each adapter reads all parameters, with the core's coercions. */
const readOnlyIn = (reader, files, names) => ({
  files: files.map((file) => `packages/${file}`),
  ignores: [`packages/${reader}`],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...[
        ...names.flatMap((name) => [`Identifier[name="${name}"]`, `Literal[value="${name}"]`]),
        'MemberExpression[object.callee.property.name="getNode"][property.name="parameters"]',
      ].map((selector) => ({ selector, message: `Only packages/${reader} reads parameters.` })),
    ],
  },
});

/** n8n's own lint rules, which a verified package must pass (configs/eslint of @n8n/node-cli). */
const N8N_PACKAGE = 'packages/n8n-nodes-qr-service';
const n8nStock = (files, rules) => ({
  files: files.map((file) => `${N8N_PACKAGE}/${file}`),
  extends: [n8nCommunityNodesPlugin.configs.recommended],
  plugins: { 'n8n-nodes-base': n8nNodesBase },
  languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  linterOptions: { noInlineConfig: true },
  rules,
});

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'out/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
    },
  },
  {
    // Untrusted input must not cause catastrophic backtracking.
    files: ['**/*.{ts,mjs,cjs}'],
    ignores: ['**/test/**', '**/*.test.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'regexp/no-misleading-capturing-group': 'error',
    },
  },
  {
    // Editors show these as the API reference.
    files: ['shared/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { jsdoc },
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          contexts: [
            'ExportNamedDeclaration > :matches(TSInterfaceDeclaration, TSTypeAliasDeclaration, VariableDeclaration)',
          ],
          require: { FunctionDeclaration: true, ClassDeclaration: true, MethodDefinition: true },
          checkConstructors: false,
        },
      ],
      'jsdoc/check-tag-names': 'error',
      'jsdoc/empty-tags': 'error',
      'jsdoc/no-types': 'error',
    },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        require: 'readonly',
        module: 'writable',
        Buffer: 'readonly',
      },
    },
  },
  n8nStock(['package.json'], n8nNodesBase.configs.community.rules),
  n8nStock(['credentials/**/*.ts'], {
    ...n8nNodesBase.configs.credentials.rules,
    'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
    'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
  }),
  n8nStock(['*.ts'], {}),
  n8nStock(['nodes/**/*.ts'], {
    ...n8nNodesBase.configs.nodes.rules,
    'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
    'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
    'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
  }),
  readOnlyIn(
    'n8n-nodes-qr-service/nodes/shared/parameters.ts',
    ['n8n-nodes-qr-service/{nodes,credentials}/**/*.ts'],
    ['getNodeParameter'],
  ),
  readOnlyIn(
    'zapier-qr-service/src/inputs/readInputs.ts',
    ['zapier-qr-service/src/**/*.ts'],
    ['inputData', 'inputDataRaw', 'authData'],
  ),
  arrows('the core imports neither a package nor a platform', 'shared/**', [
    ...PACKAGES,
    ...PLATFORMS,
    ...WORKSPACE,
  ]),
  arrows('the tests of the core import nothing but the core and test support', 'shared/**/*.test.ts', [
    ...PACKAGES,
    ...PLATFORMS,
    ...WORKSPACE.filter((folder) => folder !== '**/test/**'),
  ]),
  ...PACKAGES.map((name) =>
    arrows('a package imports the core and its own platform', `packages/${FOLDERS[name] ?? name}/**`, [
      ...PACKAGES.filter((other) => other !== name),
      ...WORKSPACE,
    ]),
  ),
  {
    files: ['**/*.test.ts', '{test,packages/*/test,engines}/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
