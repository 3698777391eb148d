// n8n's stock lint, which a verified package has to keep; here the same rules run from the root's configuration.
export { config as default } from '@n8n/node-cli/eslint';
