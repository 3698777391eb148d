import type { IDataObject } from 'n8n-workflow';
import type { RenderedImage } from '../../../core.ts';

/**
 * Name of an image's file: the one chosen, else from the input row where it is about this code, else the
 * id. Parts of a path are taken out, or n8n would make a folder of them.
 */
export function imageFileName(image: RenderedImage, id: string, row: IDataObject, chosen: string): string {
  const isThisCode = row['id'] === id || row['qrId'] === id;
  const stem = [chosen, ...(isThisCode ? [row['slug'], row['name']] : [])]
    .map((candidate) => (typeof candidate === 'string' ? cleanStem(candidate, image.format) : ''))
    .find((candidate) => candidate !== '');
  return stem === undefined ? image.fileName : `${stem}.${image.format}`;
}

function cleanStem(name: string, format: string): string {
  const stem = name.trim().toLowerCase().endsWith(`.${format}`)
    ? name.trim().slice(0, -format.length - 1)
    : name;
  return stem
    .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .trim()
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 120);
}
