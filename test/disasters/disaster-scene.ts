/** A NAS with Twinfold and a laptop and a phone with Syncthing that share one folder; disasters happen to it. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GuardJson } from '../../src/rest/guard.ts'
import type { RewindReplyJson } from '../../src/rest/rewind.ts'
import { eventually } from '../support/scratch.ts'
import { FOLDER, link, type Member, type Network } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'

const WAIT_MS = 60_000
const DIRECTORIES = 4
const FILES = 60

/** Digests of files, by path. */
export type Contents = ReadonlyMap<string, string>

export class DisasterScene {
  readonly nas: Member
  readonly laptop: Member
  readonly phone: Member

  private constructor(nas: Member, laptop: Member, phone: Member) {
    this.nas = nas
    this.laptop = laptop
    this.phone = phone
  }

  /** `programs`: of the laptop and of the phone. */
  static async open(network: Network, programs: readonly [string, string]): Promise<DisasterScene> {
    const nas = await network.add('twinfold', 'nas')
    const [laptop, phone] = [
      await withProgram(programs[0], () => network.add('syncthing', 'laptop')),
      await withProgram(programs[1], () => network.add('syncthing', 'phone')),
    ]
    await link([
      [nas, laptop],
      [nas, phone],
      [laptop, phone],
    ])
    // What `folder add` gives to a folder that is made here.
    await nas.request('PATCH', `/rest/config/folders/${FOLDER}`, {
      versioning: { type: 'trashcan', params: { cleanoutDays: '30' } },
    })
    await nas.request('PATCH', '/rest/twinfold/settings', {
      folders: { [FOLDER]: { guard: true, versionsPercentMax: 10 } },
    })
    return new DisasterScene(nas, laptop, phone)
  }

  get all(): readonly Member[] {
    return [this.nas, this.laptop, this.phone]
  }

  async settle(): Promise<void> {
    for (const member of this.all) await member.scan()
    await untilInSync(this.all, { limitMs: WAIT_MS, rescan: this.all })
  }

  /** Everybody has the files; returns their contents. The guard has seen nothing. */
  async fill(round: string): Promise<Contents> {
    for (const name of readdirSync(this.laptop.root)) {
      if (!name.startsWith('.st')) rmSync(join(this.laptop.root, name), { recursive: true })
    }
    for (let n = 0; n < FILES; n++) {
      const path = join(this.laptop.root, round, `d${n % DIRECTORIES}`, `file ${n}.txt`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${round}, file ${n}\n`.repeat(50))
    }
    await this.settle()
    // The guard excuses the loss of files that were made within the hour; after a restart these are no longer new.
    await this.nas.stop()
    await this.nas.start()
    await this.untilConnected()
    await this.settle()
    await this.nas.request('POST', `/rest/twinfold/guard/dismiss?folder=${FOLDER}`)
    return contentsOf(this.laptop)
  }

  async untilConnected(): Promise<void> {
    for (const peer of [this.laptop, this.phone])
      await eventually(
        `the NAS is connected to ${peer.name}`,
        async () => (await this.nas.isConnectedTo(peer)) || undefined,
        WAIT_MS,
      )
  }

  async guard(): Promise<GuardJson> {
    return (await this.nas.get(`/rest/twinfold/guard?folder=${FOLDER}`)) as GuardJson
  }

  async untilHeld(side: 'local' | 'remote'): Promise<void> {
    await eventually(
      `a ${side} loss is held`,
      async () => (await this.guard()).held.some((each) => each.side === side) || undefined,
      WAIT_MS,
    )
  }

  async untilNothingHeld(): Promise<void> {
    await eventually('nothing is held', async () => (await this.guard()).held.length === 0 || undefined, WAIT_MS)
  }

  async untilNoticed(): Promise<void> {
    await eventually('it is noticed', async () => (await this.guard()).notices.length > 0 || undefined, WAIT_MS)
  }

  async decide(decision: 'apply' | 'refuse'): Promise<void> {
    await eventually(
      `the guard accepts: ${decision}`,
      async () => {
        await this.nas.request('POST', `/rest/twinfold/guard/${decision}?folder=${FOLDER}`)
        return true
      },
      WAIT_MS,
    )
  }

  /** Begins to rewind the folder. */
  async rewind(toMs: number): Promise<void> {
    const to = encodeURIComponent(new Date(toMs).toISOString())
    await this.nas.request('POST', `/rest/twinfold/rewind?folder=${FOLDER}&to=${to}`, { mode: 'in-place' })
  }

  async untilRewound(): Promise<NonNullable<RewindReplyJson['rewind']>> {
    return await eventually(
      'the rewind has ended',
      async () => {
        const { rewind } = (await this.nas.get(`/rest/twinfold/rewind?folder=${FOLDER}`)) as RewindReplyJson
        return rewind === null || rewind.state === 'running' ? undefined : rewind
      },
      WAIT_MS,
    )
  }

  /** Files of `before` that a device does not have with their content, of all devices. */
  lost(before: Contents): readonly string[] {
    return this.all.flatMap((member) => {
      const now = contentsOf(member)
      return [...before].flatMap(([path, digest]) => (now.get(path) === digest ? [] : [`${member.name}: ${path}`]))
    })
  }
}

/** The environment says which Syncthing a process is started with. */
export async function withProgram<T>(program: string, work: () => Promise<T>): Promise<T> {
  process.env['TWINFOLD_SYNCTHING'] = program
  return await work()
}

export function contentsOf({ root }: Member): Contents {
  const contents = new Map<string, string>()
  for (const path of filesBelow(root))
    contents.set(
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    )
  return contents
}

/** Without what the programs have at the top of a folder. */
export function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.startsWith('.st') && !/(^|\/)(\.syncthing\.|~syncthing~)/.test(path))
    .sort()
}

export function deleteAll({ root }: Member): void {
  for (const name of readdirSync(root)) if (!name.startsWith('.st')) rmSync(join(root, name), { recursive: true })
}

export function truncateAll({ root }: Member): void {
  for (const path of filesBelow(root)) truncateSync(join(root, path), 0)
}

/** As ransomware does: random bytes under new names, the originals are gone. */
export function encryptAll({ root }: Member): void {
  for (const path of filesBelow(root)) {
    writeFileSync(join(root, `${path}.locked`), randomBytes(8_192))
    rmSync(join(root, path))
  }
}

export function renameAll({ root }: Member): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith('.st')) renameSync(join(root, name), join(root, `renamed ${name}`))
  }
}
