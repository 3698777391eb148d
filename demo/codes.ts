import { IMAGE_FORMATS } from '@qr-service/core/connector';
import type { SheetCode } from './contactSheet.ts';
import type { CreatedCode } from './n8n.ts';
import type { Output } from './output.ts';
import type { ZapCode } from './zapier.ts';

/** Writes the images and returns a row for each code: the sheet's own columns, followed by the code's. */
export function writeCodes(output: Output, created: readonly CreatedCode[]): Record<string, unknown>[] {
  return created.map(({ row, code, images }) => {
    const { id, slug, status, publicUrl } = code;
    const cells: Record<string, unknown> = { ...row.columns, id, slug, status, publicUrl };
    for (const format of IMAGE_FORMATS) cells[format] = output.file(imagePath(slug, format), images[format]);
    return cells;
  });
}

function imagePath(slug: string, format: string): string {
  return `codes/${slug.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.${format}`;
}

/** The codes as the contact sheet shows them. `newTargets` holds the new target URLs by code ID. */
export function contactSheetCodes(
  created: readonly CreatedCode[],
  newTargets: ReadonlyMap<string, string>,
  zapierCodes: readonly ZapCode[],
  output: Output,
): SheetCode[] {
  const fromN8n = created.map(({ row, code }): SheetCode => ({
    name: row.name,
    publicUrl: code.publicUrl,
    targetUrl: newTargets.get(code.id) ?? row.targetUrl,
    retargeted: newTargets.has(code.id),
    createdIn: 'n8n',
    image: imagePath(code.slug, 'svg'),
    files: IMAGE_FORMATS.map((format) => ({
      label: format.toUpperCase(),
      href: imagePath(code.slug, format),
    })),
  }));
  const fromZapier = zapierCodes.map(({ name, publicUrl, targetUrl, slug, image }): SheetCode => {
    const href = output.file(imagePath(slug, 'svg'), image);
    return {
      name,
      publicUrl,
      targetUrl,
      retargeted: true,
      createdIn: 'Zapier',
      image: href,
      files: [{ label: 'SVG', href }],
    };
  });
  return [...fromN8n, ...fromZapier];
}
