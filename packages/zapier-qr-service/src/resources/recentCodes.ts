import { omitUndefined } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import { newestRows } from './newestRows.ts';

/** The most recently updated codes, newest first, as examples to build a Zap with. */
export function recentCodes({ qr }: Pick<QrServiceClient, 'qr'>, count: number): Promise<QrCode[]> {
  return newestRows<QrCode>(
    (updatedSince) => qr.listPage(omitUndefined({ updatedSince })),
    (code) => code.updatedAt,
    count,
  );
}
