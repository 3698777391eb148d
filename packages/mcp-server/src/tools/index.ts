import { createQrCodes } from './createQrCodes.ts';
import { findQrCodes } from './findQrCodes.ts';
import { listScans } from './listScans.ts';
import { getQrCode, publishQrCode, retargetQrCode } from './oneCode.ts';
import { renderQrCodes } from './renderQrCodes.ts';
import type { Tool } from './Tool.ts';
import { upsertQrCodes } from './upsertQrCodes.ts';
import { whoamiTool } from './whoami.ts';

const WORKING: readonly Tool[] = [
  createQrCodes,
  findQrCodes,
  getQrCode,
  publishQrCode,
  retargetQrCode,
  upsertQrCodes,
  renderQrCodes,
  listScans,
];

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [...WORKING, whoamiTool(WORKING)];
