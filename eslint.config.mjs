import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Arrows go packages → shared: never from one package to another, never back, and the core knows no platform. */
const arrows = (allowed, folder, forbidden) => ({
  files: [`${folder}/**`],
  ignores: [`${folder}/test/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group: forbidden, message: `Arrows go packages → shared: ${allowed}.` }] },
    ],
  },
});
const PACKAGES = ['qr-service-emulator', 'n8n-nodes-qr-service', 'zapier-qr-service'];
const PLATFORMS = ['n8n-*', 'zapier-*', '@n8n/*'];
const WORKSPACE = ['**/packages/**', '**/engines/**', '**/demo/**', '**/test/**', '**/shared/src/**'];

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'out/', 'shared/src/contract/openapi.types.ts'] },
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
  arrows('the core imports neither a package nor a platform', 'shared', [
    ...PACKAGES,
    ...PLATFORMS,
    ...WORKSPACE,
  ]),
  ...PACKAGES.map((name) =>
    arrows(
      'a package imports the core and its own platform',
      `packages/${name === 'qr-service-emulator' ? 'emulator' : name}`,
      [...PACKAGES.filter((other) => other !== name), ...WORKSPACE],
    ),
  ),
  {
    files: ['**/*.test.ts', 'test/**', 'engines/**'],
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
