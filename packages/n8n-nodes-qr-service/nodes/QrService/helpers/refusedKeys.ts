import type { IExecuteFunctions } from 'n8n-workflow';
import type { RefusedKeys } from '../../../core.ts';

/** Characters kept of a key's hash. Taking one key for another costs a request, no more. */
const LENGTH = 8;
const MOST_KEYS = 10_000;

/**
 * Remembers refused keys in the node's context, which n8n saves with the execution: a retry in any process knows them.
 * They are one text, as small as can be.
 */
export function refusedKeys(context: IExecuteFunctions): RefusedKeys {
  const memory = context.getContext('node');
  const text = () => String(memory['refusedKeys'] ?? '');
  const known = new Set(text().match(/.{8}/g));
  return {
    has: (hash) => known.has(hash.slice(0, LENGTH)),
    add(hash) {
      const key = hash.slice(0, LENGTH);
      if (known.has(key) || known.size >= MOST_KEYS) return;
      known.add(key);
      memory['refusedKeys'] = text() + key;
    },
  };
}
