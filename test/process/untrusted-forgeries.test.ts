/** B-41: what an untrusted device makes out of the sealed blocks that it may request. */
import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseDeviceId, shortIdOf } from '../../src/core/device-id.ts'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import { decodeRecord, encodeRecord } from '../../src/protocol/record-bytes.ts'
import { directory, version } from '../db/records.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { clusterDevice, newIdentity, ScriptedPeer, type ScriptedPeerOptions } from '../support/scripted-peer.ts'
import { bytesField } from '../support/wire.ts'

const NEVER = new AbortController().signal
const NAME = 'upload.jpg'
const HARMLESS = Buffer.alloc(3_000, 'harmless ')

const scratch = scratchDirectory()
const members = new Map<string, Promise<Member>>()

after(async () => {
  for (const member of members.values()) await (await member)[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** One trusted daemon of that name for all tests. */
function memberNamed(name: string): Promise<Member> {
  const member = members.get(name) ?? startMember(scratch.path, name)
  members.set(name, member)
  return member
}

/** A folder of a trusted daemon, and an untrusted device that a test plays: it has no password. */
class Scene implements AsyncDisposable {
  static #count = 0
  readonly member: Member
  readonly peer: ScriptedPeer
  readonly folder: string
  readonly path: string

  private constructor(member: Member, peer: ScriptedPeer, folder: string, path: string) {
    this.member = member
    this.peer = peer
    this.folder = folder
    this.path = path
  }

  static async make(
    name = 'trusted',
    serve?: ScriptedPeerOptions['serve'],
    folder = Scene.newFolder(),
  ): Promise<Scene> {
    const who = await newIdentity()
    const member = await memberNamed(name)
    const root = `${member.root}-${folder}`
    mkdirSync(root)
    await member.daemon.post('/rest/config/devices', { deviceID: who.id, name: 'untrusted', untrusted: true })
    const devices = [{ deviceID: who.id, encryptionPassword: 'password' }]
    await member.daemon.addFolder(folder, root, { devices, rescanIntervalS: 0, fsWatcherEnabled: false })
    const options = { ...who, port: member.port, ...(serve && { serve }) }
    const peer = await eventually('the daemon to listen', () => ScriptedPeer.dial(options))
    const encryptionPasswordToken = await eventually('the token', () =>
      peer.received.clusterConfigs[0]?.folders[0]?.devices
        .map((entry) => entry.encryptionPasswordToken)
        .find(({ length }) => length > 0),
    )
    await peer.connection.clusterConfig({
      secondary: false,
      folders: [
        {
          id: folder,
          label: '',
          type: 'receiveencrypted',
          paused: false,
          disableTempIndexes: true,
          devices: [clusterDevice(peer.daemon), clusterDevice(who.id, { indexId: 77n, encryptionPasswordToken })],
        },
      ],
    })
    return new Scene(member, peer, folder, join(root, NAME))
  }

  static newFolder(): string {
    return `docs-${++Scene.#count}`
  }

  async scan(): Promise<void> {
    await this.member.daemon.post(`/rest/db/scan?folder=${this.folder}`)
  }

  /** The file gets this content; resolves with its record as the untrusted device gets it. */
  async write(content: Uint8Array): Promise<FileInfo> {
    const known = this.peer.received.indexes.length
    writeFileSync(this.path, content)
    await this.scan()
    return await eventually('the record', () =>
      this.peer.received.indexes
        .slice(known)
        .flatMap(({ files }) => files)
        .find(({ type }) => type === 'file'),
    )
  }

  /** Resolves with the record of the deletion. */
  async remove(): Promise<FileInfo> {
    const known = this.peer.received.indexes.length
    rmSync(this.path)
    await this.scan()
    return await eventually('the deletion', () =>
      this.peer.received.indexes
        .slice(known)
        .flatMap(({ files }) => files)
        .find(({ deleted }) => deleted),
    )
  }

  async seal({ name, sizeBytes, blockHashes }: FileInfo): Promise<Uint8Array> {
    const request = { folder: this.folder, name, offsetBytes: 0, sizeBytes, hash: blockHashes! }
    return await this.peer.connection.request({ ...request, fromTemporary: false, blockNumber: 0 }, NEVER)
  }

  async announce(sequence: number, ...files: readonly FileInfo[]): Promise<void> {
    const numbered = files.map((each, i) => ({ ...each, sequence: sequence + i }))
    const data = { folder: this.folder, files: numbered, lastSequence: sequence + files.length - 1, prevSequence: 0 }
    await this.peer.connection.indexUpdate(data).catch(() => {}) // the daemon may have closed the connection
  }

  /** Resolves when the daemon has stored what was announced, or closed the connection. */
  async taken(sequence: number): Promise<void> {
    await eventually('the record to be refused or stored', async () => {
      if (this.peer.ended !== undefined) return true
      const status = (await this.member.daemon.get(`/rest/db/status?folder=${this.folder}`)) as {
        remoteSequence?: Record<string, number>
      }
      return (status.remoteSequence?.[this.peer.id] ?? 0) >= sequence || undefined
    })
  }

  /** What the accomplice writes into the file: a record of that very file. */
  forged(changes: Partial<FileInfo>): FileInfo {
    const own = shortIdOf(parseDeviceId(this.member.id))
    const later = BigInt(Math.floor(Date.now() / 1_000) + 10_000)
    const base = { ...directory(NAME), modifiedS: Number(later), version: [{ device: own, value: later }] }
    return { ...base, ...changes }
  }

  async problems(): Promise<readonly { readonly path: string; readonly error: string }[]> {
    const reply = await this.member.daemon.get(`/rest/folder/errors?folder=${this.folder}`)
    return (reply as { errors: { path: string; error: string }[] | null }).errors ?? []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.peer[Symbol.asyncDispose]()
  }
}

/** A field that no record has takes the rest of the bytes, also those of any padding. */
function filled(record: FileInfo, sizeBytes: number): Buffer {
  const encoded = encodeRecord(record)
  for (let left = sizeBytes - encoded.length - 8; ; left++) {
    const bytes = Buffer.concat([encoded, bytesField(1_500, Buffer.alloc(left, 1))])
    if (bytes.length >= sizeBytes) return bytes.subarray(0, sizeBytes)
  }
}

const LINK = { type: 'symlink', symlinkTarget: `/etc/${'./'.repeat(1_500)}` } as const
const FORGERIES: Readonly<Record<string, (scene: Scene) => Buffer>> = {
  'a symlink with a field that no record has': (scene) =>
    filled(scene.forged({ type: 'symlink', symlinkTarget: '/etc' }), 3_000),
  'a symlink whose field takes the padding of a small block': (scene) =>
    filled(scene.forged({ type: 'symlink', symlinkTarget: '/etc' }), 1_024).subarray(0, 700),
  'a symlink with known fields only': (scene) => Buffer.from(encodeRecord(scene.forged(LINK))),
  'a directory': (scene) => filled(scene.forged({ type: 'directory' }), 3_000),
  'a deletion': (scene) => filled(scene.forged({ type: 'file', deleted: true }), 3_000),
  'a deletion with known fields only': (scene) => {
    const record = scene.forged({ type: 'file', deleted: true, platform: bytesField(3, bytesField(1, filler())) })
    return Buffer.from(encodeRecord(record))
  },
}

/** An extended attribute of Linux. */
function filler(): Uint8Array {
  return Buffer.concat([bytesField(1, 'user.a'), bytesField(2, Buffer.alloc(3_000, 1))])
}

for (const [what, make] of Object.entries(FORGERIES)) {
  test(`B-41: a block that is ${what} does not come back as a record of its file`, async () => {
    await using scene = await Scene.make()
    const content = make(scene)
    const padded = Buffer.concat([content, Buffer.alloc(Math.max(0, 1_024 - content.length))])
    assert.equal(decodeRecord(padded)?.name, NAME, 'it is a record')
    const outer = await scene.write(content)
    const sealed = await scene.seal(outer)
    await scene.announce(1, { ...outer, version: version(1_000_000), encrypted: sealed })
    await scene.taken(1)
    assert.match(await scene.peer.whenEnded(), /a record that was not encrypted as one/)
    assert.ok(lstatSync(scene.path).isFile())
    assert.ok(readFileSync(scene.path).equals(content))
    reportRow({ id: 'B-41', tried: 1, part: what })
  })
}

for (const what of Object.keys(FORGERIES)) {
  test(`B-41: a block of an earlier content that is ${what} changes nothing`, async () => {
    await using scene = await Scene.make()
    const sealed = await scene.seal(await scene.write(FORGERIES[what]!(scene)))
    const outer = await scene.write(HARMLESS)
    await scene.announce(1, outer) // honestly: the earlier content is known to no device any more
    await scene.taken(1)
    await scene.announce(2, { ...outer, version: version(1_000_000), encrypted: sealed })
    await scene.taken(2)
    await scene.scan()
    if (what === 'a symlink with known fields only') {
      const [problem] = await eventually('the problem', async () => {
        const found = await scene.problems()
        return found.length > 0 ? found : undefined
      })
      assert.match(problem!.error, /a file here, and only untrusted devices announce it as a symlink; remove it here/)
    }
    assert.ok(lstatSync(scene.path).isFile())
    assert.ok(readFileSync(scene.path).equals(HARMLESS))
    reportRow({ id: 'B-41', tried: 1, part: `earlier content: ${what}` })
  })
}

test('B-41: withheld items, and old records and deletions sent again, change nothing known to be newer', async () => {
  await using scene = await Scene.make()
  const old = await scene.write(Buffer.from('old'))
  const deletion = await scene.remove()
  const current = await scene.write(HARMLESS)
  await scene.peer.connection.index({ folder: scene.folder, files: [], lastSequence: 0, prevSequence: 0 })
  await scene.announce(1, { ...old, version: version(1_000_000) })
  await scene.announce(2, { ...deletion, version: version(1_000_001) })
  await scene.announce(3, { ...current, version: version(1_000_002), deleted: true })
  await scene.taken(3)
  await scene.scan()
  assert.equal(scene.peer.ended, undefined)
  assert.ok(readFileSync(scene.path).equals(HARMLESS))
})

test('B-41: a device that does not know the newer version gets the old one', async () => {
  await using first = await Scene.make()
  const content = Buffer.alloc(2_000, 'old ')
  const old = await first.write(content)
  const sealed = await first.seal(old)
  await first.write(HARMLESS)
  const serve = async () => ({ kind: 'data', data: sealed }) as const
  await using second = await Scene.make('behind', serve, first.folder)
  await second.announce(1, old)
  await eventually('the old version', () => existsSync(second.path) || undefined)
  assert.ok(readFileSync(second.path).equals(content))
})

test('B-41: a change of type that only an untrusted device announces is accepted by a removal here', async () => {
  await using scene = await Scene.make()
  const make = FORGERIES['a symlink with known fields only']!
  const sealed = await scene.seal(await scene.write(make(scene)))
  const outer = await scene.write(HARMLESS)
  await scene.announce(1, outer, { ...outer, version: version(1_000_000), encrypted: sealed })
  await eventually('the problem', async () => (await scene.problems()).length > 0 || undefined)
  rmSync(scene.path)
  await scene.scan()
  await eventually('the symlink', () => lstatSync(scene.path, { throwIfNoEntry: false })?.isSymbolicLink() || undefined)
})
