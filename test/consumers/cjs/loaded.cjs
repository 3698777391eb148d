// Loads the entry point that is named as the argument, and prints what it exports and which files it loads.
'use strict';
const { dirname, relative, sep } = require('node:path');

const entryPoint = process.argv[2];
const dist = dirname(require.resolve('@qr-service/core'));
const names = Object.keys(require(`@qr-service/core/${entryPoint}`));
const loaded = Object.keys(require.cache).filter((file) => file !== module.filename);
console.log(
  JSON.stringify({ names, loaded: loaded.map((file) => relative(dist, file).split(sep).join('/')) }),
);
