import type { Tool } from './Tool.ts';
import { whoami } from './whoami.ts';

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [whoami];
