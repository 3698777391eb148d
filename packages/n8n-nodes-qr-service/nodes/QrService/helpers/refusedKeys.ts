import type { IExecuteFunctions } from 'n8n-workflow';
import type { RefusedKeys } from '../../../core.ts';

/** Characters stored of a key's hash, and of its note. */
const LENGTH = 8;
const MAX_KEYS = 5_000;

/**
 * Remembers rejected keys, and what was done after them, in the node's context. n8n saves it with the execution, so a
 * retry in any process knows them. They are one text of 16 characters each.
 */
export function refusedKeys(context: IExecuteFunctions): RefusedKeys {
  const memory = context.getContext('node');
  const known = new Map(
    String(memory['refusals'] ?? '')
      .match(/.{16}/g)
      ?.map((entry) => [entry.slice(0, LENGTH), entry.slice(LENGTH)]),
  );
  return {
    get: (key) => known.get(key.slice(0, LENGTH)),
    set(key, note) {
      const short = key.slice(0, LENGTH);
      const isNew = !known.has(short);
      if (known.get(short) === note || (isNew && known.size >= MAX_KEYS)) return;
      known.set(short, note);
      memory['refusals'] = isNew
        ? `${String(memory['refusals'] ?? '')}${short}${note}`
        : [...known].flat().join('');
    },
  };
}
