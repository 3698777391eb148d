/** Port that the emulator tries first, and where commands expect it. */
export const DEFAULT_PORT = 4010;
