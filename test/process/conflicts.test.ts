/** Conflicts are listed and resolved by commands. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeTransport } from '../../src/client/node.ts'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { recordingContext } from '../support/cli.ts'
import { startMember } from '../support/daemon-pair.ts'
import { scratchDirectory } from '../support/scratch.ts'

const copyOf = (name: string) => `${name}.sync-conflict-20250102-030405-ABCDEFG.txt`

test('conflicts: copies are listed, resolved one by one or together, and nothing is lost without a word', async () => {
  using scratch = scratchDirectory()
  await using member = await startMember(scratch.path, 'desk')
  const { daemon } = member
  const client = new Client({
    transport: nodeTransport(parseEndpoint(daemon.url, { useTls: false })),
    apiKey: daemon.apiKey,
  })
  const run = async (...args: readonly string[]) => {
    const { context, out, err } = recordingContext(client)
    return { code: await runCli(context, ['conflicts', ...args]), out: out.join('\n'), err: err.join('\n') }
  }
  const root = join(scratch.path, 'folder')
  mkdirSync(root)
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(root, `${name}.txt`), 'original')
    writeFileSync(join(root, copyOf(name)), 'copy')
  }
  await daemon.addFolder('docs', root)
  await daemon.post('/rest/db/scan?folder=docs')
  const copies = () => readdirSync(root).filter((name) => name.includes('sync-conflict'))

  assert.match(
    (await run()).out,
    /^FOLDER +CONFLICT COPY +OF +FILE +COPY\ndocs +a\.sync-conflict[^]*c\.txt +\S+, .* 8 B +\S+, .* 4 B$/,
  )
  assert.match((await run('docs', copyOf('a'))).err, /resolved with --keep original or --keep copy/)
  assert.match((await run('--keep', 'copy')).err, /--keep needs the folder/)
  const refused = await run('docs', '--keep', 'original')
  assert.equal(refused.code, 4)
  assert.match(refused.err, /a\.sync-conflict.*: the folder keeps no old versions[^]*--discard resolves them/)
  assert.equal(copies().length, 3)

  const one = await run('docs', copyOf('a'), '--keep', 'copy', '--discard')
  assert.deepEqual(one, {
    code: 0,
    out: 'Resolved 1 conflict in folder "docs"; the conflict copies were kept.',
    err: '',
  })
  assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'copy')
  await daemon.request('PATCH', '/rest/config/folders/docs', { versioning: { type: 'simple', params: { keep: '5' } } })
  const rest = await run('docs', '--keep', 'original', '--json')
  assert.deepEqual(JSON.parse(rest.out), { folder: 'docs', kept: 'original', resolved: 2, failures: {} })
  assert.deepEqual(copies(), [])
  assert.equal(readdirSync(join(root, '.stversions')).length, 2)
  assert.equal((await run('docs', '--keep', 'original')).out, 'No conflict copies in folder "docs".')
  const unknown = await run('docs', 'gone.txt', '--keep', 'original')
  assert.deepEqual([unknown.code, unknown.out], [4, ''])
  assert.match(unknown.err, /^gone\.txt: /)

  // Compared, merged, and many by a rule.
  const write = (name: string, content: string, timeS: number) => {
    writeFileSync(join(root, name), content)
    utimesSync(join(root, name), timeS, timeS)
  }
  for (const name of ['old', 'new', 'same']) write(`${name}.txt`, 'a\nleft\nc\n', 1_700_000_000)
  write(copyOf('old'), 'a\nright\nc\n', 1_600_000_000)
  write(copyOf('new'), 'a\nright\nc\n', 1_800_000_000)
  write(copyOf('same'), 'a\nleft\nc\n', 1_800_000_000)
  await daemon.post('/rest/db/scan?folder=docs')
  const shown = await run('docs', copyOf('new'), '--diff')
  assert.match(shown.out, /^--- new\.txt: .*\n\+\+\+ new\.sync-conflict.*\n@@ line 2, 2 @@\n-left\n\+right$/)
  assert.match((await run('docs', 'new.txt', '--diff')).err, /is no conflict copy here/)
  assert.match((await run('docs', copyOf('new'), '--keep', 'newest')).err, /named copies are resolved with/)
  assert.match((await run('--keep', 'newest', '--from', 'desk', '--all')).err, /one of --keep and --from/)
  const preview = await run('--all', '--keep', 'newest', '--matching', '*.txt', '--preview', '--json')
  const counts = { original: 2, copy: 1, both: 0, left: 0, failures: {} }
  assert.deepEqual(JSON.parse(preview.out), { preview: true, ...counts })
  assert.equal(copies().length, 3)
  writeFileSync(join(scratch.path, 'merged'), 'a\nleft, right\nc\n')
  const merged = await run('docs', copyOf('old'), '--merged', join(scratch.path, 'merged'))
  assert.equal(merged.out, 'Resolved 1 conflict in folder "docs"; the merged text was kept.', merged.err)
  assert.equal(readFileSync(join(root, 'old.txt'), 'utf8'), 'a\nleft, right\nc\n')
  const ruled = await run('--all', '--keep', 'newest')
  assert.match(ruled.out, /^Resolved 2 conflicts: files that stay 1, files that their copy replaces 1, /)
  assert.equal(readFileSync(join(root, 'new.txt'), 'utf8'), 'a\nright\nc\n')
  assert.deepEqual(copies(), [])
})
