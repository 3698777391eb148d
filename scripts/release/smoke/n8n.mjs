// Loads every node and credential that the installed package registers in n8n.
import assert from 'node:assert/strict';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const NAME = 'n8n-nodes-qr-service';
const { n8n } = require(`${NAME}/package.json`);
const load = (file) => {
  const [className = ''] = path.basename(file).split('.');
  return new (require(`${NAME}/${file}`)[className])();
};
assert(n8n.nodes.length > 0 && n8n.credentials.length > 0);
for (const file of n8n.nodes) assert(load(file).description.name, `${file} has no name`);
for (const file of n8n.credentials) assert(load(file).name, `${file} has no name`);
