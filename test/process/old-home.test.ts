import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, differencesOf, inSync, restartMember, startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

async function scan(...members: readonly Member[]): Promise<void> {
  for (const { daemon } of members) await daemon.post('/rest/db/scan?folder=docs')
}

async function untilEqualTrees(members: readonly Member[]): Promise<void> {
  await eventually(
    'equal trees',
    async () => {
      await inSync(members)
      return differencesOf(members[0]!.root, members[1]!.root).length === 0 || undefined
    },
    60_000,
  )
}

test('D-04: a home restored from a backup, older than the index of others, loses nothing', async () => {
  using scratch = scratchDirectory()
  const start = await startMember(scratch.path, 'a')
  await using other = await startMember(scratch.path, 'b')
  const members = [start, other]
  await connect(start, other, { fsWatcherEnabled: false })
  const put = ({ root }: Member, name: string, content: string) => writeFileSync(join(root, name), content)
  for (const name of ['edited here', 'edited there', 'removed here', 'removed there', 'kept'])
    put(start, name, 'as it was')
  await scan(start)
  await untilEqualTrees(members)
  await start.daemon[Symbol.asyncDispose]()
  const backup = join(scratch.path, 'backup')
  cpSync(start.daemon.home, backup, { recursive: true })

  let again = await restartMember(start)
  put(again, 'edited here', 'after the backup')
  put(again, 'new here', 'after the backup')
  rmSync(join(again.root, 'removed here'))
  put(other, 'edited there', 'after the backup, too')
  put(other, 'new there', 'after the backup, too')
  rmSync(join(other.root, 'removed there'))
  await scan(again, other)
  await untilEqualTrees([again, other])
  await again.daemon[Symbol.asyncDispose]()

  rmSync(start.daemon.home, { recursive: true })
  cpSync(backup, start.daemon.home, { recursive: true })
  again = await restartMember(start)
  await using _again = again
  put(again, 'written after', 'the restore')
  await scan(again, other)
  await untilEqualTrees([again, other])
  const expected = {
    'edited here': 'after the backup',
    'new here': 'after the backup',
    'edited there': 'after the backup, too',
    'new there': 'after the backup, too',
    kept: 'as it was',
    'written after': 'the restore',
  }
  const lost = Object.entries(expected).filter(([name, content]) =>
    [again, other].some(
      ({ root }) => !existsSync(join(root, name)) || readFileSync(join(root, name), 'utf8') !== content,
    ),
  )
  reportRow({ id: 'D-04', tried: Object.keys(expected).length, lost: lost.length })
  assert.deepEqual(lost, [])
})
