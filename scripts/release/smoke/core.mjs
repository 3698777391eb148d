// Loads every entry point of the installed core, as an ES module and as CommonJS, and verifies a delivery.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const NAME = '@qr-service/core';
const { exports: entryPoints } = require(`${NAME}/package.json`);
const modules = Object.keys(entryPoints).filter((path) => !/\.(json|yaml)$/.test(path));
assert(modules.length > 1);
for (const path of modules) {
  const entryPoint = NAME + path.slice(1);
  const names = Object.keys(await import(entryPoint));
  assert(names.length > 0, `${entryPoint} exports nothing`);
  for (const name of names) assert(name in require(entryPoint), `require('${entryPoint}') has no ${name}`);
}

const { sampleEvent, signWebhook, verifyWebhook } = await import(`${NAME}/webhook`);
const body = JSON.stringify(sampleEvent('qr.published'));
const timestamp = Math.floor(Date.now() / 1000);
const headers = { 'x-service-signature': signWebhook({ body, secret: 'secret', timestamp }) };
assert.equal(verifyWebhook({ rawBody: body, headers, secret: 'secret' }).event.type, 'qr.published');
