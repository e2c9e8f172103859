import { lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon, type Daemon, type DaemonOptions } from './daemon.ts'
import { fileDigest } from './file-digest.ts'
import { freePort } from './free-port.ts'
import { eventually } from './scratch.ts'

/** A daemon with the properties that others need. Ends with the scope that holds it. */
export interface Member extends AsyncDisposable {
  readonly daemon: Daemon
  readonly id: string
  readonly port: number
  readonly root: string
}

export interface PairStatus {
  readonly state: string
  readonly needTotalItems: number
  readonly globalBytes: number
  readonly localBytes: number
  readonly globalTotalItems: number
  readonly errors: number
  readonly sequence: number
  readonly inSyncBytes: number
}

/** Starts a daemon on a free port, without announcements. */
export async function startMember(
  directory: string,
  name: string,
  options: Pick<DaemonOptions, 'env' | 'node' | 'nodeArgs' | 'program'> = {},
): Promise<Member> {
  const daemon = await startDaemon({ home: join(directory, `${name}-home`), ...options })
  const port = await freePort()
  await daemon.request('PATCH', '/rest/config/options', {
    listenAddresses: [`tcp://127.0.0.1:${port}`],
    globalAnnounceEnabled: false,
    localAnnounceEnabled: false,
    relaysEnabled: false,
    natEnabled: false,
    reconnectionIntervalS: 1,
    crashReportingEnabled: false,
  })
  const { myID } = (await daemon.get('/rest/system/status')) as { myID: string }
  return {
    daemon,
    id: myID,
    port,
    root: join(directory, name),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

/** The same device again, after its process has ended. */
export async function restartMember(member: Member): Promise<Member> {
  const daemon = await startDaemon({ home: member.daemon.home })
  return { ...member, daemon, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

type Fields = Readonly<Record<string, unknown>>

/** Adds the other device with its address. */
export async function addPeer(self: Member, peer: Member, device: Fields = {}): Promise<void> {
  const addresses = [`tcp://127.0.0.1:${peer.port}`]
  await self.daemon.post('/rest/config/devices', { deviceID: peer.id, name: 'peer', addresses, ...device })
}

/** Adds both devices to each other and shares the folder `docs`. */
export async function connect(a: Member, b: Member, folder: Fields = {}, device: Fields = {}): Promise<void> {
  for (const [self, peer] of [
    [a, b],
    [b, a],
  ] as const) {
    mkdirSync(self.root, { recursive: true }) // a busy daemon makes it later than it replies
    await addPeer(self, peer, device)
    await self.daemon.addFolder('docs', self.root, { devices: [{ deviceID: peer.id }], ...folder })
  }
}

export async function statusOf({ daemon }: Member): Promise<PairStatus> {
  return (await daemon.get('/rest/db/status?folder=docs')) as PairStatus
}

/** Resolves when both need nothing, are idle and agree on what there is. */
export async function inSync(members: readonly Member[], limitMs = 60_000): Promise<void> {
  await eventually(
    'both in sync',
    async () => {
      const all = await Promise.all(members.map(statusOf))
      const [first] = all
      return (
        all.every(
          (each) =>
            each.state === 'idle' &&
            each.needTotalItems === 0 &&
            each.globalTotalItems === first?.globalTotalItems &&
            each.globalBytes === first.globalBytes,
        ) || undefined
      )
    },
    limitMs,
  ).catch(async (error: unknown) => {
    const facts = await Promise.all(
      members.map(async (each) => ({
        ...(await statusOf(each)),
        folderErrors: await each.daemon.get('/rest/folder/errors?folder=docs'),
      })),
    )
    throw new Error(`${String(error)}: ${JSON.stringify(facts, undefined, 1)}`)
  })
}

/** An item of a tree: everything but its time, and its time apart, for it is compared less strictly. */
interface TreeItem {
  readonly what: string
  readonly modifiedNs: bigint
}

/** Node sets times less exactly than disks keep them. */
const ROUNDED_NS_MAX = 1_000n

/** Everything below a root but the marker, by path. */
export function treeOf(root: string, directory = ''): ReadonlyMap<string, TreeItem> {
  const tree = new Map<string, TreeItem>()
  for (const name of readdirSync(join(root, directory)).sort()) {
    const path = directory === '' ? name : `${directory}/${name}`
    if (path === '.stfolder') continue
    const stat = lstatSync(join(root, path), { bigint: true })
    const mode = (Number(stat.mode) & 0o777).toString(8)
    if (stat.isSymbolicLink()) tree.set(path, { what: `symlink ${readlinkSync(join(root, path))}`, modifiedNs: 0n })
    else if (stat.isDirectory()) {
      tree.set(path, { what: `directory ${mode}`, modifiedNs: 0n })
      for (const [below, item] of treeOf(root, path)) tree.set(below, item)
    } else {
      const digest = fileDigest(join(root, path), stat).slice(0, 16)
      tree.set(path, { what: `file ${mode} ${stat.size} ${digest}`, modifiedNs: stat.mtimeNs })
    }
  }
  return tree
}

/** Differences of two trees, as text: path, content, type, mode or modification time. */
export function differencesOf(a: string, b: string): readonly string[] {
  const [left, right] = [treeOf(a), treeOf(b)]
  return [...new Set([...left.keys(), ...right.keys()])].sort().flatMap((path) => {
    const [one, other] = [left.get(path), right.get(path)]
    if (one?.what !== other?.what) return [`${path}: ${one?.what} and ${other?.what}`]
    const apartNs = (one?.modifiedNs ?? 0n) - (other?.modifiedNs ?? 0n)
    return apartNs < ROUNDED_NS_MAX && apartNs > -ROUNDED_NS_MAX ? [] : [`${path}: ${apartNs} ns apart`]
  })
}
