/** All that the core needs of undici: the rest is 65 kB packed. */
export { getGlobalDispatcher } from '../../node_modules/undici/lib/global.js';
export { default as util } from '../../node_modules/undici/lib/core/util.js';
