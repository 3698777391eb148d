import type { QrCode } from '@qr-service/core';
import type { QrRecord } from '../store/qrCodes.ts';

/** A code as the API returns it (API text, "QR code summary"). */
export function qrSummary(code: QrRecord, redirectUrl: string): QrCode {
  return {
    id: code.id,
    name: code.name,
    slug: code.slug,
    mode: code.mode,
    contentType: code.contentType,
    status: code.status,
    approvalState: code.approvalState,
    folderId: code.folderId,
    updatedAt: new Date(code.updatedAt).toISOString(),
    publicUrl: publicUrl(code, redirectUrl),
  };
}

/** The short link that the printed code encodes. */
export function publicUrl(code: QrRecord, redirectUrl: string): string {
  return `${redirectUrl}/${code.slug}`;
}
