import { ADD } from './add.ts'
import { ATTENTION } from './attention.ts'
import { COMMON } from './common.ts'
import { CONFLICTS } from './conflicts.ts'
import { DEVICE } from './device.ts'
import { DISAGREE } from './disagree.ts'
import { ENCRYPT } from './encrypt.ts'
import { FILTER } from './filter.ts'
import { FOLDER } from './folder.ts'
import type { Entry } from './language.ts'
import { LOG } from './log.ts'
import { NETWORK } from './network.ts'
import { OFFLINE } from './offline.ts'
import { OVERVIEW } from './overview.ts'
import { RISKS } from './risks.ts'
import { SETTINGS } from './settings.ts'
import { SETUP } from './setup.ts'
import { STATES } from './states.ts'
import { TABLE } from './table.ts'
import { UPGRADE } from './upgrade.ts'

/** All texts of the page, by key, in all languages. A browser loads only one language: see vite.config.ts. */
export const WORDS = {
  ...COMMON,
  ...OVERVIEW,
  ...STATES,
  ...ATTENTION,
  ...FILTER,
  ...TABLE,
  ...FOLDER,
  ...CONFLICTS,
  ...DEVICE,
  ...OFFLINE,
  ...ADD,
  ...ENCRYPT,
  ...DISAGREE,
  ...SETTINGS,
  ...LOG,
  ...NETWORK,
  ...UPGRADE,
  ...RISKS,
  ...SETUP,
} as const satisfies Readonly<Record<string, Entry>>
