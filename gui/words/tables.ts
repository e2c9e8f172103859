import { ADD } from './add.ts'
import { COMMON } from './common.ts'
import { DEVICE } from './device.ts'
import { FOLDER } from './folder.ts'
import type { Entry } from './language.ts'
import { LOG } from './log.ts'
import { OVERVIEW } from './overview.ts'
import { SETTINGS } from './settings.ts'
import { UPGRADE } from './upgrade.ts'

/** Everything the page says, by key, in all languages. A browser gets only the one that it speaks: see vite.config.ts. */
export const WORDS = {
  ...COMMON,
  ...OVERVIEW,
  ...FOLDER,
  ...DEVICE,
  ...ADD,
  ...SETTINGS,
  ...LOG,
  ...UPGRADE,
} as const satisfies Readonly<Record<string, Entry>>
