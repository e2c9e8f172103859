import { ADD } from './tables/add.ts'
import { ATTENTION } from './tables/attention.ts'
import { CHOOSE } from './tables/choose.ts'
import { COMMON } from './tables/common.ts'
import { CONFLICTS } from './tables/conflicts.ts'
import { DESK } from './tables/desk.ts'
import { DEVICE } from './tables/device.ts'
import { DISAGREE } from './tables/disagree.ts'
import { ENCRYPT } from './tables/encrypt.ts'
import { FILTER } from './tables/filter.ts'
import { FOLDER } from './tables/folder.ts'
import { HOOKS } from './tables/hooks.ts'
import { GUARD } from './tables/guard.ts'
import { GRANTS } from './tables/grants.ts'
import { HISTORY } from './tables/history.ts'
import type { TextEntry } from './language.ts'
import { INVITE } from './tables/invite.ts'
import { KEPT } from './tables/kept.ts'
import { LOG } from './tables/log.ts'
import { MOVE } from './tables/move.ts'
import { NETWORK } from './tables/network.ts'
import { OFFLINE } from './tables/offline.ts'
import { OVERVIEW } from './tables/overview.ts'
import { PLAN } from './tables/plan.ts'
import { REMEDIES } from './tables/remedies.ts'
import { RISKS } from './tables/risks.ts'
import { SAFETY } from './tables/safety.ts'
import { SCHEDULE } from './tables/schedule.ts'
import { SERIES } from './tables/series.ts'
import { SETTINGS } from './tables/settings.ts'
import { SETUP } from './tables/setup.ts'
import { STATES } from './tables/states.ts'
import { TABLE } from './tables/table.ts'
import { UPGRADE } from './tables/upgrade.ts'

/** All texts of the page, by key, in all languages. A browser loads only one language: see vite.config.ts. */
export const TEXTS = {
  ...COMMON,
  ...OVERVIEW,
  ...STATES,
  ...ATTENTION,
  ...FILTER,
  ...TABLE,
  ...FOLDER,
  ...CONFLICTS,
  ...DESK,
  ...CHOOSE,
  ...GUARD,
  ...GRANTS,
  ...INVITE,
  ...KEPT,
  ...PLAN,
  ...HISTORY,
  ...DEVICE,
  ...OFFLINE,
  ...ADD,
  ...ENCRYPT,
  ...DISAGREE,
  ...SCHEDULE,
  ...SERIES,
  ...SETTINGS,
  ...HOOKS,
  ...LOG,
  ...MOVE,
  ...NETWORK,
  ...UPGRADE,
  ...REMEDIES,
  ...RISKS,
  ...SAFETY,
  ...SETUP,
} as const satisfies Readonly<Record<string, TextEntry>>
