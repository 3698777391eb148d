import type { QrCode } from '../contract/types.ts';

/**
 * A created code after its publication. Where the key may not read it, publishing gives less than a code: the rest is
 * what creation gave, without the state that publishing has changed.
 */
export function withPublication(created: QrCode, published: QrCode): QrCode {
  const { status: _status, updatedAt: _updatedAt, ...lasting } = created;
  return { ...lasting, ...published };
}
