import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

/** Peers that no registry offers come from a path in the environment. */
const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]

/** Content that must not be sent again is larger than everything else together. */
const BIG_BYTES = 2 * 1024 * 1024
const SENT_BYTES_MAX = 512 * 1024
const RECEIVE_ONLY = 'ro'

interface Figures {
  resurrections: number
  conflicts: number
  resentBytes: number
  changedTimes: number
  localChanges: number
}

const matrix: string[] = []
after(() =>
  console.log(
    ['', 'switching: resurrections, needless conflicts, bytes re-transferred, times changed', ...matrix].join('\n'),
  ),
)

for (const [version, program] of PROGRAMS) {
  test(`a home of Syncthing ${version} is taken over after changes, given back and taken over again`, async (t) => {
    if (program === undefined) {
      matrix.push(`${version}  not run: SYNCTHING2_BIN names no program`)
      return t.skip('SYNCTHING2_BIN names no program')
    }
    process.env['TWINFOLD_SYNCTHING'] = program
    const missing = missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [home, peer] = await Promise.all([network.add('syncthing', 'home'), network.add('syncthing', 'peer')])
    await makeShares(home, peer)
    await leaveLocalChanges(home)

    const before = timesOf(home)
    await home.stop()
    const deleted = changeWhileAway(home, peer, 'first')
    await peer.scan()
    home.kind = 'twinfold'
    await home.start()
    assert.match(home.output, /importing the index of Syncthing/)
    report(version, 'take over', await figuresOf(home, peer, { before, deleted }))

    for (const kind of ['syncthing', 'twinfold'] as const) {
      const step = kind === 'syncthing' ? 'give back' : 'take over again'
      const times = timesOf(home)
      await home.stop()
      home.kind = kind
      await home.start()
      // Each device must receive what the other one changes now: no sequence number is taken for a known one.
      for (const member of [home, peer]) put(member, `${member.name}-${step}`, step)
      await scanAll([home, peer])
      report(version, step, await figuresOf(home, peer, { before: times, deleted }))
    }
  })
}

function report(version: string, step: string, figures: Figures): void {
  const { resurrections, conflicts, resentBytes, changedTimes, localChanges } = figures
  matrix.push(`${version}  ${step.padEnd(16)} ${resurrections}, ${conflicts}, ${resentBytes}, ${changedTimes}`)
  assert.deepEqual({ resurrections, conflicts, resentBytes, changedTimes }, ZERO, `${version}: ${step}`)
  assert.equal(localChanges, 2, 'the changes of the receive-only folder are kept')
}

const ZERO = { resurrections: 0, conflicts: 0, resentBytes: 0, changedTimes: 0 }

function put({ root }: Member, name: string, content: string | Uint8Array): void {
  writeFileSync(join(root, name), content)
}

function receiveOnlyRoot({ root }: Member): string {
  return `${root}-${RECEIVE_ONLY}`
}

/** Both folders in sync: one for both directions, one that `home` only receives. */
async function makeShares(home: Member, peer: Member): Promise<void> {
  await link([[home, peer]])
  for (const [member, other, type] of [
    [home, peer, 'receiveonly'],
    [peer, home, 'sendreceive'],
  ] as const) {
    mkdirSync(receiveOnlyRoot(member))
    await member.request('POST', '/rest/config/folders', {
      id: RECEIVE_ONLY,
      path: receiveOnlyRoot(member),
      type,
      devices: [{ deviceID: other.id }],
      fsWatcherEnabled: false,
      rescanIntervalS: 0,
    })
  }
  for (const round of ['first']) {
    for (const name of ['edit-here', 'edit-there', 'delete-here']) put(home, `${round}-${name}`, `${round} ${name}`)
    for (const name of ['delete-there', 'keep']) put(peer, `${round}-${name}`, `${round} ${name}`)
    mkdirSync(join(home.root, `${round}-old`))
    put(home, `${round}-old/inside`, `${round} inside`)
  }
  put(home, 'big-here', randomBytes(BIG_BYTES))
  put(peer, 'big-there', randomBytes(BIG_BYTES))
  for (const name of ['kept', 'edited', 'other']) writeFileSync(join(receiveOnlyRoot(peer), name), name)
  await scanAll([home, peer])
  await peer.request('POST', `/rest/db/scan?folder=${RECEIVE_ONLY}`)
  await untilAlike(home, peer)
}

/** Of a receive-only folder: one edit, one new file. */
async function leaveLocalChanges(home: Member): Promise<void> {
  writeFileSync(join(receiveOnlyRoot(home), 'edited'), 'edited only here')
  writeFileSync(join(receiveOnlyRoot(home), 'added'), 'added only here')
  await home.request('POST', `/rest/db/scan?folder=${RECEIVE_ONLY}`)
}

/** Changes on both sides while no program runs on `home`. Returns names that must not return. */
function changeWhileAway(home: Member, peer: Member, round: string): readonly string[] {
  put(home, `${round}-edit-here`, `${round} edited while away`)
  rmSync(join(home.root, `${round}-delete-here`))
  renameSync(join(home.root, `${round}-old`), join(home.root, `${round}-new`))
  for (let count = 0; count < 10; count++) put(home, `${round}-made-${count}`, `${round} made ${count}`)
  put(peer, `${round}-edit-there`, `${round} edited at the peer`)
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

/** The time of every file on both disks, to the nanosecond. */
function timesOf(home: Member): ReadonlyMap<string, bigint> {
  const times = new Map<string, bigint>()
  for (const root of [home.root, receiveOnlyRoot(home)]) {
    for (const name of filesOf(root)) times.set(join(root, name), statSync(join(root, name), { bigint: true }).mtimeNs)
  }
  return times
}

async function statusOf(member: Member, folder: string): Promise<Readonly<Record<string, number | string>>> {
  return (await member.get(`/rest/db/status?folder=${folder}`)) as Record<string, number | string>
}

async function untilAlike(home: Member, peer: Member): Promise<void> {
  await eventually(
    'both trees are alike, and both devices are idle',
    async () => {
      if (!(await home.isConnectedTo(peer)) || treeText(home) !== treeText(peer)) return undefined
      for (const member of [home, peer]) {
        const { state, needTotalItems } = await statusOf(member, 'share')
        if (state !== 'idle' || needTotalItems !== 0) return undefined
      }
      const { state } = await statusOf(home, RECEIVE_ONLY)
      return state === 'idle' || undefined
    },
    120_000,
  )
}

/** What went wrong since the switch. */
async function figuresOf(
  home: Member,
  peer: Member,
  { before, deleted }: { before: ReadonlyMap<string, bigint>; deleted: readonly string[] },
): Promise<Figures> {
  await untilAlike(home, peer)
  const local = await statusOf(home, RECEIVE_ONLY)
  const connection = await home.connectionTo(peer)
  const bytes = (connection?.inBytesTotal ?? 0) + (connection?.outBytesTotal ?? 0)
  const now = timesOf(home)
  const names = [home, peer].flatMap(({ root }) => filesOf(root))
  return {
    resurrections: deleted.filter((name) => [home, peer].some(({ root }) => existsSync(join(root, name)))).length,
    conflicts: names.filter((name) => name.includes('.sync-conflict-')).length,
    resentBytes: bytes > SENT_BYTES_MAX ? bytes : 0,
    changedTimes: [...before].filter(([path, time]) => now.has(path) && !isEdited(path) && now.get(path) !== time)
      .length,
    localChanges: Number(local['receiveOnlyChangedFiles']),
  }
}

/** Files that the rounds change on purpose. */
function isEdited(path: string): boolean {
  return /-edit-(?:here|there)$/.test(path)
}
