import type { FolderConfig } from '../../src/core/config/config.ts'
import type { WaitingJson, WhyJson } from '../../src/rest/twinfold.ts'
import { causeOf } from '../../src/core/remedies/cause.ts'
import type { Tone } from '../base/tone.ts'

/**
 * The state of the local copy of an item. `toDelete`: deleted elsewhere; `differs`: others have another version;
 * `dropped`: it is not kept here.
 */
export type ItemCode = WhyJson['state'] | 'toDelete' | 'differs' | 'dropped'

export const ITEM_TONES: Readonly<Record<ItemCode, Tone>> = {
  here: 'good',
  older: 'wait',
  missing: 'wait',
  extra: 'wait',
  ignored: 'off',
  deleted: 'off',
  unknown: 'off',
  toDelete: 'wait',
  differs: 'wait',
  dropped: 'off',
}

export interface ItemFacts {
  readonly code: ItemCode
  readonly tone: Tone
  /** Whether it can be moved to the front of the downloads. */
  readonly mayPrioritize: boolean
}

export interface KnownItem {
  readonly state: WhyJson['state']
  /** The newest version is a deletion. */
  readonly deleted: boolean
  readonly isFile: boolean
}

type Owner = Pick<FolderConfig, 'type' | 'paused'>

/** Decides the state of an item in its folder: a folder that only sends applies nothing of others. */
export function itemFacts({ state, deleted, isFile }: KnownItem, { type, paused }: Owner): ItemFacts {
  const isNeeded = state === 'older' || state === 'missing'
  const code = isNeeded && type === 'sendonly' ? 'differs' : state === 'older' && deleted ? 'toDelete' : state
  return {
    code,
    tone: ITEM_TONES[code],
    mayPrioritize: isNeeded && isFile && !deleted && !paused && type !== 'sendonly',
  }
}

type WaitingItem = WaitingJson['items'][number]

type WaitCode = WaitingItem['reason']['code']

const WAIT_TONES: Readonly<Record<WaitCode, Tone>> = {
  paused: 'paused',
  'folder-error': 'bad',
  'send-only': 'off',
  downloading: 'busy',
  failed: 'bad',
  'no-device': 'away',
  queued: 'wait',
  scanning: 'wait',
  waiting: 'wait',
}

/** Why it is missing. A failure for want of a source is no error: the item continues when its source connects. */
export function waitCode({ code, cause = '' }: Pick<WaitingItem['reason'], 'code' | 'cause'>): WaitCode {
  return code === 'failed' && causeOf(cause) === 'noSource' ? 'no-device' : code
}

/** Decides the state of an item of the queue. */
export function waitingFacts(
  { action, stage, reason }: Pick<WaitingItem, 'action' | 'stage' | 'reason'>,
  { type, paused }: Owner,
): Pick<ItemFacts, 'tone' | 'mayPrioritize'> {
  const code = waitCode(reason)
  const isPossible = !paused && type !== 'sendonly' && code !== 'folder-error' && code !== 'no-device'
  return {
    tone: WAIT_TONES[code],
    mayPrioritize: isPossible && action === 'download' && stage !== 'downloading',
  }
}
