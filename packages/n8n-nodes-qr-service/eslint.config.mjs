// n8n's default lint configuration, which verified packages must keep. This repository runs the same rules from its root.
export { config as default } from '@n8n/node-cli/eslint';
