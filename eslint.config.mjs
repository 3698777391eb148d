import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import parser from '@typescript-eslint/parser';
import jsdoc from 'eslint-plugin-jsdoc';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';
import { defineConfig } from 'eslint/config';

/** Clever lines, in all code, each with the plain form. */
const CLEVER = [
  {
    selector:
      ':matches(VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"], AssignmentExpression[left.type="ArrayPattern"][right.type="ArrayExpression"])',
    message: 'Set each variable in its own statement.',
  },
  {
    selector: 'ArrayPattern[elements.1=null]',
    message: 'Read the element by its index, or name the fields.',
  },
  {
    selector: 'CallExpression[callee.object.type="Literal"][callee.property.name="split"]',
    message: 'Write the list as an array.',
  },
  {
    selector: 'MemberExpression[computed=true][object.type=/^(Object|Array)Expression$/]',
    message: 'Choose by statements, or name the literal first.',
  },
  {
    selector: 'SpreadElement[argument.type="ObjectExpression"]',
    message: 'Write the contents without the spread.',
  },
  {
    selector: 'TSAsExpression[expression.type="Literal"][typeAnnotation.type="TSBooleanKeyword"]',
    message: 'Keep the value where TypeScript sees that it changes.',
  },
];

/** Expressions can return any value, so one module of each adapter reads all parameters, with the core's coercions. */
const readOnlyIn = (reader, files, names) => ({
  files: files.map((file) => `packages/${file}`),
  ignores: [`packages/${reader}`],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...CLEVER,
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
  languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } },
  linterOptions: { noInlineConfig: true },
  rules,
});

const TESTS = ['**/test/**', '**/*.test.ts'];

// What oxlint lacks, and all rules of jsdoc. All others: .oxlintrc.jsonc
export default defineConfig(
  { ignores: ['**/dist/', 'out/'] },
  { files: ['**/*.{ts,mts,cts}'], languageOptions: { parser } },
  { files: ['**/*.{ts,mts,cts,js,mjs,cjs}'], rules: { 'no-restricted-syntax': ['error', ...CLEVER] } },
  { files: ['**/*.cjs'], rules: { 'no-dupe-args': 'error', 'no-octal': 'error' } },
  {
    // Untrusted input must not cause catastrophic backtracking.
    files: ['**/*.{ts,mjs,cjs}'],
    ignores: TESTS,
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
    ignores: TESTS,
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
    'n8n-nodes-qr-service/nodes/platform/parameters.ts',
    ['n8n-nodes-qr-service/{nodes,credentials}/**/*.ts'],
    ['getNodeParameter'],
  ),
  readOnlyIn(
    'zapier-qr-service/src/inputs/readInputs.ts',
    ['zapier-qr-service/src/**/*.ts'],
    ['inputData', 'inputDataRaw', 'authData'],
  ),
);
