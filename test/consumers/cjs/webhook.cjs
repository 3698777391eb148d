// Loads only the verifier, and prints which files of the core were loaded.
'use strict';
const { relative, sep } = require('node:path');
const { verifyWebhook } = require('@qr-service/core/webhook');

const dist = require.resolve('@qr-service/core/webhook').split(`${sep}webhook${sep}`)[0];
const loaded = Object.keys(require.cache).filter((file) => file !== module.filename);
console.log(
  JSON.stringify({
    verify: typeof verifyWebhook,
    loaded: loaded.map((file) => relative(dist, file).split(sep).join('/')),
  }),
);
