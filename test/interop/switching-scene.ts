/** Two devices with three shared folders, for tests of a switch between programs. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/scratch.ts'
import { FOLDER, link, scanAll, type Member } from '../support/sync-pair.ts'

/** `home` only receives it, and has changed some of it. */
export const RECEIVE_ONLY = 'ro'
/** `home` has it without the password. */
export const ENCRYPTED = 'enc'
const FOLDERS = [FOLDER, RECEIVE_ONLY, ENCRYPTED]
/** The programs change at the end of each round. */
export const ROUNDS = ['take over', 'give back', 'take over again'] as const
export type Round = (typeof ROUNDS)[number]
/** Edits and additions of `home` in the folder that it only receives. */
export const LOCAL_CHANGES = 2
const LIMIT_MS = 120_000

/** Content that must not be sent again is larger than everything else together. */
const BIG_BYTES = 2 * 1024 * 1024
const SENT_BYTES_MAX = 512 * 1024

/** What went wrong since a switch. */
export interface Figures {
  readonly resurrections: number
  readonly conflicts: number
  readonly resentBytes: number
  readonly changedTimes: number
}

export const NO_FIGURES: Figures = { resurrections: 0, conflicts: 0, resentBytes: 0, changedTimes: 0 }

function rootOf({ root }: Member, folder: string): string {
  return folder === FOLDER ? root : `${root}-${folder}`
}

export function put(member: Member, folder: string, name: string, content: string | Uint8Array): void {
  writeFileSync(join(rootOf(member, folder), name), content)
}

/** All folders in sync, with files for every round, one old version, and local changes of `home`. */
export async function makeScene(home: Member, peer: Member): Promise<void> {
  await link([[home, peer]])
  await home.request('PATCH', `/rest/config/folders/${FOLDER}`, {
    versioning: { type: 'simple', params: { keep: '5' } },
  })
  await addFolder(home, RECEIVE_ONLY, { type: 'receiveonly', devices: [{ deviceID: peer.id }] })
  await addFolder(peer, RECEIVE_ONLY, { devices: [{ deviceID: home.id }] })
  await addFolder(home, ENCRYPTED, { type: 'receiveencrypted', devices: [{ deviceID: peer.id }] })
  await addFolder(peer, ENCRYPTED, { devices: [{ deviceID: home.id, encryptionPassword: 'a password' }] })
  for (const round of ROUNDS) {
    for (const name of ['edit-here', 'edit-there', 'delete-here', 'delete-there']) {
      put(name.endsWith('here') ? home : peer, FOLDER, `${round}-${name}`, `${round} ${name}`)
    }
    mkdirSync(join(home.root, `${round}-old`))
    put(home, FOLDER, `${round}-old/inside`, `${round} inside`)
    put(peer, RECEIVE_ONLY, `${round}-edit-there`, round)
    put(peer, ENCRYPTED, `${round}-edit-there`, round)
  }
  put(home, FOLDER, 'big-here', randomBytes(BIG_BYTES))
  for (const folder of FOLDERS) put(peer, folder, 'big-there', randomBytes(BIG_BYTES))
  put(peer, FOLDER, 'versioned', 'first')
  for (const name of ['kept', 'edited']) put(peer, RECEIVE_ONLY, name, name)
  await scanEverything(home, peer)
  await untilSettled(home, peer)
  put(peer, FOLDER, 'versioned', 'second')
  put(home, RECEIVE_ONLY, 'edited', 'edited only here')
  put(home, RECEIVE_ONLY, 'added', 'added only here')
  await scanEverything(home, peer)
  await untilSettled(home, peer)
}

async function addFolder(member: Member, id: string, more: Readonly<Record<string, unknown>>): Promise<void> {
  mkdirSync(rootOf(member, id))
  const quiet = { fsWatcherEnabled: false, rescanIntervalS: 0 }
  await member.request('POST', '/rest/config/folders', { id, path: rootOf(member, id), ...quiet, ...more })
}

export async function scanEverything(...members: readonly Member[]): Promise<void> {
  await scanAll(members)
  for (const folder of [RECEIVE_ONLY, ENCRYPTED]) {
    for (const member of members) await member.request('POST', `/rest/db/scan?folder=${folder}`)
  }
}

/** Changes on both sides while no program runs on `home`. Returns names that must not return. */
export function changeWhileAway(home: Member, peer: Member, round: Round): readonly string[] {
  put(home, FOLDER, `${round}-edit-here`, `${round} edited while away`)
  rmSync(join(home.root, `${round}-delete-here`))
  renameSync(join(home.root, `${round}-old`), join(home.root, `${round}-new`))
  for (let count = 0; count < 10; count++) put(home, FOLDER, `${round}-made-${count}`, `${round} made ${count}`)
  for (const folder of FOLDERS) put(peer, folder, `${round}-edit-there`, `${round} edited at the peer`)
  put(peer, ENCRYPTED, `${round}-made-there`, `${round} made at the peer`)
  rmSync(join(peer.root, `${round}-delete-there`))
  return [`${round}-delete-here`, `${round}-delete-there`, `${round}-old`, `${round}-old/inside`]
}

/** Every file below a root, without internal ones. */
function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !name.startsWith('.st') && !name.includes('.syncthing.'))
    .toSorted()
}

function treeText({ root }: Member): string {
  return filesOf(root)
    .map((name) => `${name} ${readFileSync(join(root, name)).toString('base64')}`)
    .join('\n')
}

/** The time of every file of `home`, to the nanosecond. */
export function timesOf(home: Member, folders: readonly string[] = FOLDERS): ReadonlyMap<string, bigint> {
  const times = new Map<string, bigint>()
  for (const root of folders.map((folder) => rootOf(home, folder))) {
    for (const name of filesOf(root)) times.set(join(root, name), statSync(join(root, name), { bigint: true }).mtimeNs)
  }
  return times
}

export interface Status {
  readonly state: string
  readonly needTotalItems: number
  readonly receiveOnlyTotalItems: number
}

export async function statusOf(member: Member, folder: string): Promise<Status> {
  return (await member.get(`/rest/db/status?folder=${folder}`)) as Status
}

async function isComplete(member: Member, peer: Member, folder: string): Promise<boolean> {
  const path = `/rest/db/completion?folder=${folder}&device=${peer.id}`
  return ((await member.get(path)) as { readonly completion: number }).completion === 100
}

/** Whether `home` has what the other device has, apart from its own edit. */
function hasReceived(home: Member, peer: Member): boolean {
  const [here, there] = [rootOf(home, RECEIVE_ONLY), rootOf(peer, RECEIVE_ONLY)]
  return filesOf(there)
    .filter((name) => name !== 'edited')
    .every(
      (name) => existsSync(join(here, name)) && readFileSync(join(here, name)).equals(readFileSync(join(there, name))),
    )
}

/**
 * A step of docs/switching.md: Syncthing fetches what it finds in an encrypted folder and has no record of, and else
 * keeps a copy of what it found.
 */
export async function prepareGivingBack(home: Member): Promise<void> {
  await home.request('PATCH', `/rest/config/folders/${ENCRYPTED}`, { maxConflicts: 0 })
}

/** Files in the encrypted folder, whose names are encrypted on `home`. */
export function encryptedCount(member: Member): number {
  return filesOf(rootOf(member, ENCRYPTED)).length
}

/** Resolves when both trees are equal, `home` has all that it receives, and all is idle. */
export async function untilSettled(home: Member, peer: Member): Promise<void> {
  await eventually(
    'both trees are equal, and both devices are idle',
    async () => {
      if (!(await home.isConnectedTo(peer)) || treeText(home) !== treeText(peer)) return undefined
      if (!hasReceived(home, peer)) return undefined
      for (const member of [home, peer]) {
        for (const folder of FOLDERS) {
          const { state, needTotalItems } = await statusOf(member, folder)
          if (state !== 'idle' || (folder === FOLDER && needTotalItems !== 0)) return undefined
        }
      }
      return ((await isComplete(peer, home, ENCRYPTED)) && (await isComplete(peer, home, FOLDER))) || undefined
    },
    LIMIT_MS,
  )
}

/** What went wrong in some folders since the switch. */
export async function figuresOf(
  home: Member,
  peer: Member,
  since: { readonly before: ReadonlyMap<string, bigint>; readonly deleted: readonly string[] },
): Promise<Figures> {
  await untilSettled(home, peer)
  const connection = await home.connectionTo(peer)
  const bytes = (connection?.inBytesTotal ?? 0) + (connection?.outBytesTotal ?? 0)
  const names = [home.root, peer.root, rootOf(home, ENCRYPTED)].flatMap(filesOf)
  return {
    resurrections: since.deleted.filter((name) => [home, peer].some(({ root }) => existsSync(join(root, name)))).length,
    conflicts: names.filter((name) => name.includes('.sync-conflict-') && !name.startsWith('clash.')).length,
    resentBytes: bytes > SENT_BYTES_MAX ? bytes : 0,
    changedTimes: changedTimes(since.before, timesOf(home)),
  }
}

/** Of files that are still there and were not changed on purpose. */
function changedTimes(before: ReadonlyMap<string, bigint>, now: ReadonlyMap<string, bigint>): number {
  return [...before].filter(([path, time]) => now.has(path) && !isEdited(path) && now.get(path) !== time).length
}

function isEdited(path: string): boolean {
  return /-edit-(?:here|there)$/.test(path) || /\/(?:versioned|clash)$/.test(path)
}

/** Both edit one file while they are not connected. Returns the conflict copies, the same on both. */
export async function clash(home: Member, peer: Member): Promise<readonly string[]> {
  await home.request('POST', `/rest/system/pause?device=${peer.id}`)
  await eventually('the connection to end', async () => !(await home.isConnectedTo(peer)) || undefined)
  for (const member of [home, peer]) put(member, FOLDER, 'clash', `of ${member.name}`)
  await scanAll([home, peer])
  await home.request('POST', `/rest/system/resume?device=${peer.id}`)
  await untilSettled(home, peer)
  return filesOf(peer.root).filter((name) => name.startsWith('clash.sync-conflict-'))
}

/** How many older versions of a file `home` keeps. */
export async function versionCount(home: Member, name: string): Promise<number> {
  const versions = (await home.get(`/rest/folder/versions?folder=${FOLDER}`)) as Record<string, readonly unknown[]>
  return versions[name]?.length ?? 0
}
