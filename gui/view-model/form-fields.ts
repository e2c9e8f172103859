import { DEVICE, FOLDER, GUI, OPTIONS } from '../../src/core/config/config-fields.ts'
import { PRIORITY_MAX } from '../../src/core/config/extensions.ts'
import type { AnyTable } from '../../src/core/config/field.ts'
import { formField, type FieldOptions } from './form-field.ts'
import type { FormField } from './form.ts'
import { WITHOUT_EFFECT } from './without-effect.ts'

type Row = readonly [name: string, options?: FieldOptions]

function grouped(table: AnyTable, groups: Readonly<Record<string, readonly (string | Row)[]>>): readonly FormField[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    rows.map((row) =>
      typeof row === 'string' ? formField(table, row, group) : formField(table, row[0], group, row[1]),
    ),
  )
}

const seconds = { unit: 's', min: 0 } as const
const count = { min: 0 } as const
const rate = { unit: 'KiB/s', min: 0 } as const

const VERSION_KINDS = ['', 'trashcan', 'simple', 'staggered', 'external']
const keeps = (...is: readonly string[]) => ({ when: { name: 'versioning.type', is } })
const OWN_KINDS = ['trashcan', 'simple', 'staggered']
const param = { kind: 'whole', min: 0, asText: true } as const
const DAY_S = 86_400

/** Everything that can be set for a folder but its id and with whom it is shared. */
export const FOLDER_FIELDS = grouped(FOLDER, {
  basic: ['label', 'type'],
  versions: [
    ['versioning.type', { kind: 'choice', choices: VERSION_KINDS }],
    ['versioning.params.keep', { ...param, min: 1, otherwise: '5', ...keeps('simple') }],
    ['versioning.params.cleanoutDays', { ...param, unit: 'd', otherwise: '0', ...keeps('trashcan', 'simple') }],
    [
      'versioning.params.maxAge',
      { ...param, unit: 'd', times: DAY_S, otherwise: String(365 * DAY_S), ...keeps('staggered') },
    ],
    ['versioning.params.command', { ...keeps('external') }],
    ['versioning.fsPath', keeps(...OWN_KINDS)],
    ['versioning.cleanupIntervalS', { ...seconds, ...keeps(...OWN_KINDS) }],
  ],
  scan: [
    'fsWatcherEnabled',
    ['fsWatcherDelayS', { ...seconds, when: { name: 'fsWatcherEnabled', is: ['true'] } }],
    ['fsWatcherTimeoutS', { ...seconds, when: { name: 'fsWatcherEnabled', is: ['true'] } }],
    ['rescanIntervalS', seconds],
    ['scanProgressIntervalS', { unit: 's', min: -1 }],
    ['hashers', count],
    ['modTimeWindowS', seconds],
  ],
  pull: [
    'order',
    ['maxConflicts', { min: -1 }],
    'minDiskFree',
    'ignoreDelete',
    'blockPullOrder',
    ['copiers', count],
    ['pullerMaxPendingKiB', { unit: 'KiB', min: 0 }],
    ['pullerPauseS', seconds],
    'disableTempIndexes',
  ],
  disk: [
    'ignorePerms',
    'autoNormalize',
    'caseSensitiveFS',
    'syncOwnership',
    'sendOwnership',
    'copyOwnershipFromParent',
    'syncXattrs',
    'sendXattrs',
    ['xattrFilter.entries', { kind: 'rules' }],
    ['xattrFilter.maxSingleEntrySize', count],
    ['xattrFilter.maxTotalSize', count],
  ],
  expert: [
    'path',
    'group',
    'paused',
    'markerName',
    'filesystemType',
    'versioning.fsType',
    'disableSparseFiles',
    'disableFsync',
  ],
})

/** Of those that are not in the config, the ones that every folder has: an encrypted one, too. */
export const FOLDER_EXTENSION_FIELDS = grouped(
  {},
  {
    pull: [
      ['priority', { kind: 'whole', min: -PRIORITY_MAX, max: PRIORITY_MAX }],
      ['pauseOnBattery', { kind: 'check' }],
    ],
  },
)

/** Everything that can be set for a device but its id. */
export const DEVICE_FIELDS = grouped(DEVICE, {
  basic: ['name', 'addresses'],
  trust: ['introducer', 'autoAcceptFolders', 'untrusted', 'skipIntroductionRemovals'],
  speed: [
    ['maxSendKbps', rate],
    ['maxRecvKbps', rate],
    'compression',
    ['numConnections', count],
    ['maxRequestKiB', { unit: 'KiB', min: 0 }],
  ],
  expert: ['allowedNetworks', 'group', 'paused', 'certName'],
})

/** The settings of the device as a whole that have a place of their own. */
export const OPTION_FIELDS = grouped(OPTIONS, {
  general: [
    'minHomeDiskFree',
    ['keepTemporariesH', { unit: 'h', min: 0 }],
    ['maxFolderConcurrency', { min: -1 }],
    ['autoUpgradeIntervalH', { unit: 'h', min: 0 }],
    'upgradeToPreReleases',
  ],
  connections: [
    'listenAddresses',
    ['maxSendKbps', rate],
    ['maxRecvKbps', rate],
    'limitBandwidthInLan',
    ['reconnectionIntervalS', { unit: 's', min: 5 }],
    ['connectionLimitEnough', count],
    ['connectionLimitMax', count],
  ],
  network: [
    'localAnnounceEnabled',
    'globalAnnounceEnabled',
    ['globalAnnounceServers', { when: { name: 'globalAnnounceEnabled', is: ['true'] } }],
    'announceLANAddresses',
    'relaysEnabled',
    'natEnabled',
    'alwaysLocalNets',
  ],
})

export const GUI_FIELDS = grouped(GUI, {
  gui: ['address', 'useTLS', ['sessionCookieDurationS', { unit: 's', min: -1 }]],
})

/** Set elsewhere on the page; of the kinds of login there is only one. */
const ELSEWHERE: ReadonlySet<string> = new Set(['user', 'password', 'apiKey', 'authMode'])

export type AdvancedPart = 'options' | 'gui'

/** Every other setting that has an effect, by its configuration name and kind. */
export const ADVANCED_FIELDS: Readonly<Record<AdvancedPart, readonly FormField[]>> = {
  options: rest(OPTIONS, OPTION_FIELDS, WITHOUT_EFFECT.options),
  gui: rest(GUI, GUI_FIELDS, WITHOUT_EFFECT.gui),
}

function rest(table: AnyTable, placed: readonly FormField[], without: readonly string[]): readonly FormField[] {
  const known = new Set([...placed.map(({ name }) => name), ...without])
  return Object.keys(table)
    .filter((name) => !known.has(name) && !ELSEWHERE.has(name))
    .map((name) => formField(table, name, 'advanced'))
}

export function ofGroup(fields: readonly FormField[], ...groups: readonly string[]): readonly FormField[] {
  return fields.filter(({ group }) => groups.includes(group))
}
