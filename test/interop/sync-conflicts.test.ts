import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ConflictsJson } from '../../src/rest/conflicts.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { conflictCopies, differences, temporaries } from '../support/tree-compare.ts'

const skip = missingSyncthing() ?? false
const EARLY_S = 1_614_834_367
const LATE_S = EARLY_S + 3_600

const scratch = scratchDirectory()
let network: Network
let twinfold: Member
let syncthing: Member
let pair: readonly [Member, Member]
/** The ID under which the index of Twinfold counts, which is not its device ID. */
let ownCounter = ''

before(async () => {
  if (skip !== false) return
  network = await Network.open(scratch.path)
  pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
  ;[twinfold, syncthing] = pair
  await link([pair], { maxConflicts: -1 })
  await given('counted')
  const { local } = (await twinfold.get(`/rest/db/file?folder=${FOLDER}&file=counted`)) as {
    readonly local: { readonly version: readonly string[] }
  }
  ownCounter = local.version[0]?.split(':')[0] ?? ''
})

after(async () => {
  await network?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

function put(member: Member, name: string, content: string, timeS: number): void {
  writeFileSync(join(member.root, name), content)
  utimesSync(join(member.root, name), timeS, timeS)
}

function textOf(member: Member, name: string): string {
  return readFileSync(join(member.root, name), 'utf8')
}

async function setPaused(member: Member, paused: boolean): Promise<void> {
  const peer = member === twinfold ? syncthing : twinfold
  await member.request('POST', `/rest/system/${paused ? 'pause' : 'resume'}?device=${peer.id}`)
  if (paused) await eventually('the connection to end', async () => !(await peer.isConnectedTo(member)) || undefined)
}

/**
 * Both change things while disconnected, then connect. Returns the conflict copies that were made, the
 * same on both.
 */
async function apart(change: () => void, pausing: Member = twinfold): Promise<readonly string[]> {
  const earlier = new Set(conflictCopies(twinfold.root))
  await setPaused(pausing, true)
  change()
  await scanAll(pair)
  // Read from the pausing device: the other one dials again and is connected for a moment each time.
  assert.equal(await pausing.isConnectedTo(pausing === twinfold ? syncthing : twinfold), false)
  assert.notEqual(differences(pair.map(({ root }) => root)).length, 0, 'they are apart')
  await setPaused(pausing, false)
  await eventually('both connected', async () => (await twinfold.isConnectedTo(syncthing)) || undefined, 60_000)
  await untilInSync(pair)
  for (const { root } of pair) assert.deepEqual(temporaries(root), [])
  return conflictCopies(twinfold.root).filter((path) => !earlier.has(path))
}

/** The files are there, the same on both, before they are changed. */
async function given(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    mkdirSync(join(twinfold.root, name, '..'), { recursive: true })
    put(twinfold, name, `${name} as it was`, EARLY_S - 60)
  }
  await twinfold.scan()
  await untilInSync(pair)
}

interface Clash {
  readonly name: string
  readonly winner: () => Member
  readonly times: readonly [number, number]
  readonly copy: RegExp
}

const CLASHES: readonly Clash[] = [
  {
    name: 'ours.txt',
    winner: () => twinfold,
    times: [LATE_S, EARLY_S],
    copy: /^ours\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})\.txt$/,
  },
  {
    name: 'theirs.tar.gz',
    winner: () => syncthing,
    times: [EARLY_S, LATE_S],
    copy: /^theirs\.tar\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})\.gz$/,
  },
  {
    name: 'noext',
    winner: () => syncthing,
    times: [EARLY_S, LATE_S],
    copy: /^noext\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})$/,
  },
  {
    name: '.dot',
    winner: () => twinfold,
    times: [LATE_S, EARLY_S],
    copy: /^\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})\.dot$/,
  },
  {
    name: 'ünï 😀.md',
    winner: () => twinfold,
    times: [LATE_S, EARLY_S],
    copy: /^ünï 😀\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})\.md$/,
  },
  // Of equal times the lower counter ID wins: the alphabet of IDs puts digits behind letters.
  {
    name: 'tie.txt',
    winner: lowerCounter,
    times: [EARLY_S, EARLY_S],
    copy: /^tie\.sync-conflict-\d{8}-\d{6}-([A-Z2-7]{7})\.txt$/,
  },
]

function lowerCounter(): Member {
  // small letters come after capitals
  const rank = (id: string) => id.replaceAll(/\d/g, (digit) => 'abcdefgh'.charAt(Number(digit)))
  return rank(ownCounter) < rank(syncthing.id) ? twinfold : syncthing
}

for (const kind of ['edited', 'new'] as const) {
  test(`a file ${kind} on both sides has one winner, and one copy of what lost`, { skip }, async () => {
    const folder = kind === 'new' ? 'new' : 'edited'
    if (kind === 'edited') await given(...CLASHES.map(({ name }) => `${folder}/${name}`))
    else await given(`${folder}/there`)
    const copies = await apart(() => {
      for (const { name, times } of CLASHES) {
        for (const [which, member] of pair.entries())
          put(member, `${folder}/${name}`, `${name} of ${member.name}`, times[which]!)
      }
    })
    assert.equal(copies.length, CLASHES.length, copies.join('\n'))
    for (const { name, winner, copy } of CLASHES) {
      const loser = winner() === twinfold ? syncthing : twinfold
      assert.equal(textOf(twinfold, `${folder}/${name}`), `${name} of ${winner().name}`)
      const own = copies.filter((path) => copy.test(path.slice(folder.length + 1)))
      assert.equal(own.length, 1, `${name}: ${copies.join('\n')}`)
      assert.equal(textOf(twinfold, own[0]!), `${name} of ${loser.name}`)
      assert.equal(copy.exec(own[0]!.slice(folder.length + 1))?.[1], winner().id.slice(0, 7))
    }
    reportRow({
      id: 'S-05',
      part: `${kind} on both sides`,
      tried: CLASHES.length,
      conflictCopies: copies.length,
    })
  })
}

test('conflicts whose copies Syncthing has made are resolved here, and both have the same then', { skip }, async () => {
  const names = ['desk/copy.txt', 'desk/both.txt', 'desk/merged.txt']
  await given(...names)
  const copies = await apart(() => {
    for (const name of names) {
      put(twinfold, name, `${name}\nof twinfold\n`, LATE_S)
      put(syncthing, name, `${name}\nof syncthing\n`, EARLY_S)
    }
  })
  assert.equal(copies.length, names.length)
  const { items } = (await twinfold.get(`/rest/twinfold/conflicts?folder=${FOLDER}&perpage=500`)) as ConflictsJson
  for (const name of names) {
    const { file, hash, modifiedBy, name: copy, wonBy } = items.find(({ original }) => original === name)!
    const [ours, theirs] = [twinfold, syncthing].map(({ id }) => id.slice(0, 7))
    assert.deepEqual([file?.modifiedBy, modifiedBy, wonBy], [ours, theirs, ours])
    const keep = name.slice('desk/'.length, -'.txt'.length)
    const shown = { [copy]: { left: file?.hash, right: hash } }
    const body = { keep, names: [copy], mayRemove: true, shown, ...(keep === 'merged' && { merged: 'of both\n' }) }
    const failures = await twinfold.request('POST', `/rest/twinfold/conflicts?folder=${FOLDER}`, body)
    assert.deepEqual(failures, {})
  }
  await untilInSync(pair)
  assert.deepEqual(differences(pair.map(({ root }) => root)), [])
  assert.equal(textOf(syncthing, 'desk/copy.txt'), 'desk/copy.txt\nof syncthing\n')
  assert.equal(textOf(syncthing, 'desk/merged.txt'), 'of both\n')
  const beside = readdirSync(join(syncthing.root, 'desk')).filter((name) => name.includes('('))
  assert.match(beside.join(), /^both \(syncthing 2021-03-04\)\.txt$/)
  assert.deepEqual(
    conflictCopies(syncthing.root).filter((path) => path.startsWith('desk/')),
    [],
  )
})

test('the same content on both sides is no conflict, nor is the same deletion', { skip }, async () => {
  await given('same/edited', 'same/removed', 'same/chmod')
  const copies = await apart(() => {
    for (const [which, member] of pair.entries()) {
      put(member, 'same/new', 'the same', EARLY_S + which)
      put(member, 'same/edited', 'the same edit', EARLY_S + 10 * which)
      rmSync(join(member.root, 'same/removed'))
      chmodSync(join(member.root, 'same/chmod'), which === 0 ? 0o600 : 0o755)
    }
  })
  assert.deepEqual(copies, [])
  assert.equal(existsSync(join(syncthing.root, 'same/removed')), false)
})

test('an edit outlives a deletion, also when it is older, whoever made it', { skip }, async () => {
  await given(
    'alive/ours',
    'alive/theirs',
    'alive/ours-early',
    'alive/theirs-early',
    'alive/tree/deep/ours',
    'alive/other/deep/theirs',
  )
  const copies = await apart(() => {
    const futureS = Math.floor(Date.now() / 1_000) + 3_600
    put(twinfold, 'alive/ours', 'edited by twinfold', futureS)
    put(twinfold, 'alive/ours-early', 'edited by twinfold', EARLY_S)
    put(syncthing, 'alive/theirs', 'edited by syncthing', futureS)
    put(syncthing, 'alive/theirs-early', 'edited by syncthing', EARLY_S)
    for (const name of ['alive/ours', 'alive/ours-early']) rmSync(join(syncthing.root, name))
    for (const name of ['alive/theirs', 'alive/theirs-early']) rmSync(join(twinfold.root, name))
    put(twinfold, 'alive/tree/deep/ours', 'edited by twinfold', EARLY_S)
    rmSync(join(syncthing.root, 'alive/tree/deep'), { recursive: true })
    put(syncthing, 'alive/other/deep/theirs', 'edited by syncthing', EARLY_S)
    rmSync(join(twinfold.root, 'alive/other/deep'), { recursive: true })
  })
  assert.deepEqual(copies, [])
  for (const name of ['alive/ours', 'alive/ours-early', 'alive/tree/deep/ours'])
    assert.equal(textOf(syncthing, name), 'edited by twinfold')
  for (const name of ['alive/theirs', 'alive/theirs-early', 'alive/other/deep/theirs'])
    assert.equal(textOf(twinfold, name), 'edited by syncthing')
  reportRow({ id: 'S-05', part: 'edit and deletion', tried: 6 })
})

test('a new file in a directory that the other deleted brings the directory back', { skip }, async () => {
  await given('back/ours/old', 'back/theirs/old')
  const copies = await apart(() => {
    rmSync(join(twinfold.root, 'back/theirs'), { recursive: true })
    rmSync(join(syncthing.root, 'back/ours'), { recursive: true })
    put(twinfold, 'back/ours/new', 'new', LATE_S)
    put(syncthing, 'back/theirs/new', 'new', LATE_S)
  })
  assert.deepEqual(copies, [])
  for (const { root } of pair) {
    for (const place of ['ours', 'theirs']) {
      assert.equal(existsSync(join(root, 'back', place, 'new')), true)
      assert.equal(existsSync(join(root, 'back', place, 'old')), false)
    }
  }
})

test('a file against a directory of the same name: nothing is lost', { skip }, async () => {
  await given('types/there')
  const copies = await apart(() => {
    put(twinfold, 'types/one', 'file of twinfold', EARLY_S)
    mkdirSync(join(syncthing.root, 'types/one'))
    mkdirSync(join(twinfold.root, 'types/two'))
    put(syncthing, 'types/two', 'file of syncthing', EARLY_S)
  })
  // A directory made now is younger than the file: the file lost, and is kept under another name.
  assert.deepEqual(copies.map((path) => textOf(twinfold, path)).sort(), ['file of syncthing', 'file of twinfold'])
})

for (const which of [0, 1] as const) {
  test(
    `while ${which === 0 ? 'Twinfold' : 'Syncthing'} has the other paused nothing moves; afterwards everything does`,
    { skip },
    async () => {
      const pausing = pair[which]
      const copies = await apart(() => {
        for (const member of pair) put(member, `paused-${which}-${member.name}`, 'written while disconnected', EARLY_S)
      }, pausing)
      assert.deepEqual(copies, [])
      reportRow({ id: `sync-pause-device-${pausing.name}`, tried: 1 })
    },
  )

  test(
    `while the folder rests at ${which === 0 ? 'Twinfold' : 'Syncthing'} nothing moves; afterwards everything does`,
    { skip },
    async () => {
      const resting = pair[which]
      const other = pair[1 - which]!
      await resting.request('PATCH', `/rest/config/folders/${FOLDER}`, { paused: true })
      for (const member of pair) put(member, `resting-${which}-${member.name}`, 'written meanwhile', EARLY_S)
      await other.scan()
      await eventually('the other to know', async () => {
        const view = await other.get(`/rest/db/file?folder=${FOLDER}&file=resting-${which}-${other.name}`)
        return view !== undefined || undefined
      })
      assert.equal(differences(pair.map(({ root }) => root)).length, 2)
      await resting.request('PATCH', `/rest/config/folders/${FOLDER}`, { paused: false })
      await eventually('the folder to run again', async () => {
        await resting.scan()
        return true
      })
      await untilInSync(pair)
      assert.equal(textOf(other, `resting-${which}-${resting.name}`), 'written meanwhile')
    },
  )
}
