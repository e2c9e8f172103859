import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parseDeviceId } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'

/** Homes that Syncthing itself made, with what its REST interface reported: `test/fixtures/syncthing-index`. */
export const INDEX_VERSIONS = ['1.29.5', '2.1.3'] as const
export type IndexVersion = (typeof INDEX_VERSIONS)[number]

const FIXTURES = join(import.meta.dirname, '../fixtures/syncthing-index')

/** An item as REST shows it. */
export interface ExpectedItem {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly modified: string
  readonly permissions: string
  readonly deleted: boolean
  readonly invalid: boolean
  readonly ignored: boolean
  readonly mustRescan: boolean
  readonly noPermissions: boolean
  readonly localFlags: number
  readonly sequence: number
  readonly numBlocks: number
  readonly blocksHash: string | null
  readonly version: readonly string[]
}

interface ExpectedFolder {
  readonly files?: Readonly<Record<string, { readonly local: ExpectedItem; readonly global: ExpectedItem }>>
  readonly localOnB: Readonly<Record<string, ExpectedItem>>
  readonly status: Readonly<Record<string, number>>
  readonly completionB?: Readonly<Record<string, number>>
}

export interface ExpectedIndex {
  readonly myID: string
  readonly deviceB: string
  readonly folders: Readonly<Record<string, ExpectedFolder>>
  readonly indexIDs: Readonly<Record<string, { readonly A: string; readonly B: string }>>
  readonly database: Readonly<
    Record<
      string,
      {
        readonly ownMaxSequence: number
        readonly maxSequenceOfB: number
        readonly ownRecords: number
        readonly recordsOfB: number
        readonly ownFlags: Readonly<Record<string, number>>
        readonly invalidAtB: readonly string[]
        readonly versions: Readonly<Record<string, string>>
        readonly versionsOfB: Readonly<Record<string, string>>
        readonly virtualMtimes: Readonly<Record<string, { readonly onDiskNs: string; readonly wantedNs: string }>>
      }
    >
  >
  readonly killed: { readonly folder: string; readonly ownRecords: number; readonly ownMaxSequence: number }
  readonly pendingDevices: Readonly<Record<string, { readonly name: string; readonly address: string; time: string }>>
  readonly pendingFolders: Readonly<Record<string, { readonly offeredBy: Readonly<Record<string, { label: string }>> }>>
  readonly statsFolder: Readonly<
    Record<string, { readonly lastScan: string; readonly lastFile: { at: string; filename: string; deleted: boolean } }>
  >
  readonly statsDevice: Readonly<
    Record<string, { readonly lastSeen: string; readonly lastConnectionDurationS: number }>
  >
}

export function expectedIndex(version: IndexVersion): ExpectedIndex {
  return JSON.parse(gunzipSync(readFileSync(join(FIXTURES, version, 'expected.json.gz'))).toString()) as ExpectedIndex
}

/** Unpacks a home into a new directory and returns its path. */
export function unpackHome(version: IndexVersion, into: string, which: 'home' | 'home-killed' = 'home'): string {
  const home = join(into, which)
  mkdirSync(home)
  execFileSync('tar', ['-xzf', join(FIXTURES, version, `${which}.tar.gz`), '-C', home])
  return home
}

export function deviceB(expected: ExpectedIndex): DeviceId {
  return parseDeviceId(expected.deviceB)
}
