import assert from 'node:assert/strict'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { someBytes } from '../support/bytes.ts'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { Network, type ProgramKind } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const BLOCK = 128 * 1_024

/** Changes some bytes in a way that neither size nor time show. */
function rot(path: string, offsetBytes: number): void {
  const { atime, mtime } = statSync(path)
  const content = readFileSync(path)
  content.fill('rotten', offsetBytes, offsetBytes + 60)
  writeFileSync(path, content)
  utimesSync(path, atime, mtime)
}

for (const kind of ['twinfold', 'syncthing'] satisfies ProgramKind[]) {
  const skip = kind === 'syncthing' ? (missingSyncthing() ?? false) : false
  test(
    `bytes that went bad without a trace reach no ${kind} as what they were, and are reported as what they are`,
    { skip },
    async () => {
      using scratch = scratchDirectory()
      await using network = await Network.open(scratch.path)
      const [source, sink] = await Promise.all([network.add('twinfold', 'source'), network.add(kind, 'sink')])
      const path = join(source.root, 'large')
      writeFileSync(path, someBytes(20 * BLOCK, 1))
      writeFileSync(join(source.root, 'small'), someBytes(BLOCK / 2, 2))
      // Times that survive being set again.
      for (const name of ['large', 'small']) utimesSync(join(source.root, name), 1_700_000_000, 1_700_000_000)
      await source.introduce(sink)
      await source.share([sink])
      await source.scan()
      rot(path, 3 * BLOCK + 5)
      rot(join(source.root, 'small'), 5)
      await source.scan()
      await sink.introduce(source)
      await sink.share([source])
      await untilInSync([source, sink])
      assert.deepEqual(readFileSync(join(sink.root, 'large')), readFileSync(path))
      assert.ok(readFileSync(join(sink.root, 'large')).includes('rotten'), 'as the source has it now')
      reportRow({ id: 'silent-change', sink: kind, tried: 2 })
    },
  )
}
