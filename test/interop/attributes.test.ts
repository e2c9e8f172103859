import assert from 'node:assert/strict'
import { chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runAttributes as run } from '../support/attributes.ts'
import { missingProgram } from '../support/debian.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip =
  missingSyncthing() ??
  missingProgram('getfattr', 'attr') ??
  (process.getuid?.() !== 0 && 'only root may give files away')
const USER = 54_321
const GROUP = 54_322

function set({ root }: Member, name: string, attribute: string, value: string): void {
  run('setfattr', '-n', attribute, '-v', value, '--', join(root, name))
}

/** Owner and attributes of everything below the root. */
function marksIn({ root }: Member): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.'))
    .sort()
  return names
    .map((name) => {
      const { uid, gid } = lstatSync(join(root, name))
      const flags = ['-h', '-d', '-m', '^user', '-e', 'hex', '--absolute-names', '--']
      return `${name} ${uid}:${gid}\n${run('getfattr', ...flags, join(root, name)).replaceAll(root, '')}`
    })
    .join('')
}

test('owners and extended attributes follow the items, from a Twinfold to a Syncthing and back', { skip }, async () => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
  for (const member of pair) {
    const own = join(member.root, `of-${member.name}`)
    mkdirSync(join(own, 'd'), { recursive: true })
    writeFileSync(join(own, 'd/small'), 'x')
    writeFileSync(join(own, 'large'), Buffer.alloc(300_000, 'l'))
    symlinkSync('large', join(own, 'link'))
    for (const name of ['d', 'd/small', 'link']) lchownSync(join(own, name), USER, GROUP)
    set(member, `of-${member.name}/large`, 'user.tag', '0x00ff0a')
    set(member, `of-${member.name}/d/small`, 'user.tag', 'small')
    set(member, `of-${member.name}/d`, 'user.directory', 'yes')
  }
  await link([pair], { syncOwnership: true, syncXattrs: true })
  await scanAll(pair)
  await sameMarks(pair, [/^of-twinfold\/d 54321:54322$/m, /^of-syncthing\/link 54321:54322$/m, /user\.tag=0x00ff0a/])

  // A change of these alone is a change, whoever makes it.
  for (const [index, member] of pair.entries()) {
    const theirs = `of-${pair[1 - index]!.name}`
    set(member, `${theirs}/large`, 'user.tag', `by ${member.name}`)
    run('setfattr', '-x', 'user.directory', '--', join(member.root, theirs, 'd'))
    chownSync(join(member.root, theirs, 'large'), USER, 0)
  }
  await scanAll(pair)
  const marks = await sameMarks(pair, [/^of-twinfold\/large 54321:0$/m, /^of-syncthing\/large 54321:0$/m])
  assert.doesNotMatch(marks, /user\.directory/)
  for (const { name } of pair) assert.ok(marks.includes(`user.tag=0x${Buffer.from(`by ${name}`).toString('hex')}`))
  reportRow({ id: 'sync-attributes', tried: 2 * pair.length })
})

async function sameMarks(pair: readonly [Member, Member], expected: readonly RegExp[]): Promise<string> {
  await untilInSync(pair)
  const marks = await eventually('the same marks', async () => {
    const [one, other] = pair.map(marksIn)
    return one === other && expected.every((each) => each.test(one!)) ? one : undefined
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${pair.map(marksIn).join('\n---\n')}`, { cause: error })
  })
  return marks
}
