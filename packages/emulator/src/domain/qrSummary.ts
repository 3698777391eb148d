import type { QrCode } from '@qr-service/core';
import type { WireShape } from '@qr-service/core/shape';
import type { QrRecord } from '../store/records.ts';

/** A code as the API returns it (API text, "QR code summary"). */
export type Summarize = (code: QrRecord) => QrCode;

/**
 * @param redirectUrl returns the base URL of the short links
 * @param shape returns the current wire shape
 */
export function createSummarize(redirectUrl: () => string, shape: () => Required<WireShape>): Summarize {
  return (code) => {
    const { content, shortLink } = shape();
    const targetUrl = content === 'stale' ? code.firstTargetUrl : code.targetUrl;
    return {
      id: code.id,
      name: code.name,
      slug: code.slug,
      mode: code.mode,
      contentType: code.contentType,
      ...(content === 'none' ? {} : { content: { targetUrl } }),
      status: code.status,
      approvalState: code.approvalState,
      folderId: code.folderId,
      updatedAt: new Date(code.updatedAt).toISOString(),
      publicUrl: `${redirectUrl()}${shortLink === 'query' ? '?c=' : '/'}${code.slug}`,
    };
  };
}
