import type { QrCode, ScanRow } from './types.ts';
import { BRAND } from './brand.ts';

/** Example of a QR code's summary, for pickers, samples and tests. */
export const SAMPLE_QR_CODE: QrCode = {
  id: 'qr_7hK2pQ',
  name: 'Table 4',
  slug: 'table-4-7hk2',
  mode: 'dynamic',
  contentType: 'url',
  status: 'published',
  approvalState: 'not_required',
  folderId: null,
  updatedAt: '2026-01-15T09:30:00.000Z',
  publicUrl: `${BRAND.redirectUrl}/table-4-7hk2`,
};

/** Example of a scan. The API text doesn't show which fields a scan has, and privacy settings remove some. */
export const SAMPLE_SCAN: ScanRow = {
  id: 'scan_0001',
  qrId: SAMPLE_QR_CODE.id,
  scannedAt: '2026-01-15T10:02:11.000Z',
};
