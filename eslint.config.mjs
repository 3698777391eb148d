import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import parser from '@typescript-eslint/parser';
import jsdoc from 'eslint-plugin-jsdoc';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig } from 'eslint/config';
import house from './oxlint.plugin.mjs';

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

// n8n's own rules, those of jsdoc, which differ under oxlint, and what oxlint lacks for .cts and .cjs. All others: .oxlintrc.jsonc
export default defineConfig(
  { ignores: ['**/dist/', 'out/'] },
  {
    files: ['**/*.cts'],
    plugins: { house },
    languageOptions: { parser },
    rules: { 'house/plain-code': 'error' },
  },
  { files: ['**/*.cjs'], rules: { 'no-dupe-args': 'error', 'no-octal': 'error' } },
  {
    // Editors show these as the API reference.
    files: ['shared/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { jsdoc },
    languageOptions: { parser },
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
);
