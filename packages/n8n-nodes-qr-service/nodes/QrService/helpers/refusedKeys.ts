import type { IExecuteFunctions } from 'n8n-workflow';
import type { RefusedKeys } from '../../../core.ts';

/** Characters kept of a key's hash, and of what is noted of it. */
const LENGTH = 8;
const MOST_KEYS = 5_000;

/**
 * Remembers refusals, and what acted after them, in the node's context, which n8n saves with the execution: a retry in any process knows them.
 * They are one text, 16 characters each.
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
      if (known.get(short) === note || (isNew && known.size >= MOST_KEYS)) return;
      known.set(short, note);
      memory['refusals'] = isNew
        ? `${String(memory['refusals'] ?? '')}${short}${note}`
        : [...known].flat().join('');
    },
  };
}
