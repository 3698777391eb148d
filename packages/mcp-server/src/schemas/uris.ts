import type { ImageFormat } from '@qr-service/core';

/** Template of the resource with a code. */
export const CODE_URI = 'qr://codes/{id}';
/** Template of the resource with a code's image. */
export const IMAGE_URI = 'qr://codes/{id}/image{?format,size}';

/** The resource with a code. */
export function codeUri(id: string): string {
  return `qr://codes/${encodeURIComponent(id)}`;
}

/** The resource with a code's image. */
export function imageUri(
  id: string,
  { format, size }: { format: ImageFormat; size?: number | undefined },
): string {
  return `${codeUri(id)}/image?format=${format}${size === undefined ? '' : `&size=${size}`}`;
}
