import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runAttributes as run } from '../support/attributes.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { missingProgram } from '../support/debian.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const missing = missingProgram('getfattr', 'attr')

function set(member: Member, name: string, attribute: string, value: string): void {
  run('setfattr', '-h', '-n', attribute, '-v', value, '--', join(member.root, name))
}

/** Everything that items below the root have in the namespace of users, as the system's own program shows it. */
function attributesIn({ root }: Member): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.'))
    .sort()
  return names
    .map((name) =>
      run('getfattr', '-h', '-d', '-m', '^user', '-e', 'base64', '--absolute-names', '--', join(root, name)),
    )
    .join('')
    .replaceAll(root, '')
}

function canKeep(directory: string): boolean {
  const path = join(directory, 'probe')
  writeFileSync(path, '')
  return spawnSync('setfattr', ['-n', 'user.probe', '-v', '1', '--', path]).status === 0
}

async function sameAttributes(from: Member, to: Member): Promise<string> {
  await from.daemon.post('/rest/db/scan?folder=docs')
  const wanted = attributesIn(from)
  await eventually('the attributes are the same', async () => {
    await inSync([from, to])
    return attributesIn(to) === wanted || undefined
  })
  assert.equal(attributesIn(from), wanted)
  return wanted
}

test('N-13: attributes are synchronized where both sides enable it', { skip: missing }, async (t) => {
  using scratch = scratchDirectory()
  if (!canKeep(scratch.path)) return t.skip('this file system keeps no attributes')
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  mkdirSync(join(a.root, 'd/-e'), { recursive: true })
  const odd = 'd/-e/a\nb\\ü = x'
  writeFileSync(join(a.root, odd), 'x')
  writeFileSync(join(a.root, 'large'), Buffer.alloc(300_000, 'l'))
  writeFileSync(join(a.root, 'plain'), 'plain')
  writeFileSync(join(a.root, 'read-only'), 'r')
  symlinkSync('large', join(a.root, 'link'))
  set(a, odd, 'user.tag', 'small')
  set(a, 'large', 'user.tag', '0x00ff0a')
  set(a, 'large', 'user.we=ird\n\\', 'x')
  run('setfattr', '-n', 'user.empty', '--', join(a.root, 'large'))
  set(a, 'd', 'user.directory', 'yes')
  set(a, 'read-only', 'user.tag', 'r')
  chmodSync(join(a.root, 'read-only'), 0o444)
  await connect(a, b, { syncXattrs: true })
  const first = await sameAttributes(a, b)
  assert.equal(first.match(/^user/gm)?.length, 6)

  // A change of attributes alone is a change, on either side, of files and directories.
  set(b, 'large', 'user.tag', 'from b')
  set(b, 'd', 'user.more', '1')
  assert.match(await sameAttributes(b, a), /user\.more=0sMQ==/)
  set(a, 'read-only', 'user.tag', 'changed')
  assert.match(await sameAttributes(a, b), /user\.tag=0sY2hhbmdlZA==/)
  // Removed by the one who set it, and by the other.
  run('setfattr', '-x', 'user.more', '--', join(b.root, 'd'))
  run('setfattr', '-x', 'user.empty', '--', join(b.root, 'large'))
  run('setfattr', '-x', 'user.tag', '--', join(b.root, odd))
  const last = await sameAttributes(b, a)
  assert.doesNotMatch(last, /user\.(more|empty)|d\/-e/)
  // New content keeps them.
  appendFileSync(join(a.root, 'large'), 'more')
  assert.equal(await sameAttributes(a, b), last)
  for (const member of [a, b])
    assert.deepEqual(await member.daemon.get('/rest/folder/errors?folder=docs'), {
      folder: 'docs',
      errors: null,
      page: 1,
      perpage: 65536,
    })
  reportRow({ id: 'N-13', part: 'attributes on disk', tried: 12 })
})

test(
  'attributes announced before the other side enabled them are set when it does, and not taken for removed',
  { skip: missing },
  async (t) => {
    using scratch = scratchDirectory()
    if (!canKeep(scratch.path)) return t.skip('this file system keeps no attributes')
    await using a = await startMember(scratch.path, 'a')
    await using b = await startMember(scratch.path, 'b')
    mkdirSync(a.root, { recursive: true })
    writeFileSync(join(a.root, 'photo'), 'pixels')
    set(a, 'photo', 'user.xdg.tags', 'summer')
    await connect(a, b)
    await a.daemon.post('/rest/db/scan?folder=docs')
    await eventually('the file is there', async () => existsSync(join(b.root, 'photo')) || undefined)
    await inSync([a, b])
    // Nothing was requested: nothing is announced, nothing is set.
    assert.equal(attributesIn(b), '')
    const entry = (await a.daemon.get('/rest/db/file?folder=docs&file=photo')) as {
      local: { platform: { Linux: unknown } }
    }
    assert.equal(entry.local.platform.Linux, null)
    await a.daemon.request('PATCH', '/rest/config/folders/docs', { syncXattrs: true })
    await eventually('it is announced', async () => {
      await inSync([a, b])
      const { global } = (await b.daemon.get('/rest/db/file?folder=docs&file=photo')) as {
        global: { platform: { Linux: unknown } }
      }
      return global.platform.Linux !== null || undefined
    })
    assert.equal(attributesIn(b), '')
    set(b, 'photo', 'user.own', 'b')
    await b.daemon.request('PATCH', '/rest/config/folders/docs', { syncXattrs: true })
    await eventually('both have both', async () => {
      await inSync([a, b])
      return (attributesIn(a) === attributesIn(b) && attributesIn(a).match(/^user/gm)?.length === 2) || undefined
    })
  },
)

test(
  'without native calls and the program the folder works as before, and one warning is logged',
  { skip: process.platform !== 'linux' },
  async () => {
    using scratch = scratchDirectory()
    const env = { PATH: scratch.path, TWINFOLD_NATIVE: 'off' }
    await using a = await startMember(scratch.path, 'a', { env })
    mkdirSync(a.root, { recursive: true })
    writeFileSync(join(a.root, 'file'), 'x')
    await a.daemon.addFolder('docs', a.root, { syncXattrs: true })
    for (let round = 0; round < 2; round++) await a.daemon.post('/rest/db/scan?folder=docs')
    const status = (await a.daemon.get('/rest/db/status?folder=docs')) as { localFiles: number; errors: number }
    assert.deepEqual([status.localFiles, status.errors], [1, 0])
    const { messages } = (await a.daemon.get('/rest/system/log')) as { messages: readonly { message: string }[] }
    assert.equal(messages.filter(({ message }) => message.includes('install the package attr')).length, 1)
  },
)
