import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { compareFolder, compareTotals, FOLDERS, openIndex, snapshot, takeOver } from '../db/syncthing/imported.ts'
import { effort, reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { INDEX_VERSIONS, unpackHome, type IndexVersion } from '../support/syncthing-index.ts'

const KILLER = join(import.meta.dirname, '..', 'support', 'kill-at-step.mjs')
const CHILD = join(import.meta.dirname, '..', 'db', 'syncthing', 'import-child.ts')
const KILLS = effort(9)

interface Place {
  readonly home: string
  readonly ours: string
  readonly version: IndexVersion
}

/** Imports in a process of its own, which is killed at a step; 0: never. Returns the number of steps it took. */
async function importApart({ home, ours, version }: Place, killAt: number): Promise<number | 'killed'> {
  const child = spawn(process.execPath, ['--import', KILLER, CHILD, home, ours, version], {
    env: { ...process.env, TWINFOLD_KILL_AT: String(killAt) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  await once(child, 'close')
  if (child.signalCode === 'SIGKILL') return 'killed'
  assert.equal(child.exitCode, 0)
  return Number(/^steps (\d+)$/m.exec(out)?.[1])
}

for (const version of INDEX_VERSIONS) {
  test(`D-09 an import from Syncthing ${version} that is killed at any step loses nothing`, async () => {
    using scratch = scratchDirectory()
    const home = unpackHome(version, scratch.path)
    const theirs = snapshot(home)
    const steps = await importApart({ home, ours: join(scratch.path, 'whole'), version }, 0)
    assert.ok(typeof steps === 'number' && steps > KILLS, `${steps} steps`)
    for (let kill = 1; kill <= KILLS; kill++) {
      const ours = join(scratch.path, `killed-${kill}`)
      const at = Math.ceil((steps * kill) / KILLS)
      assert.equal(await importApart({ home, ours, version }, at), 'killed', `step ${at} of ${steps}`)
      assert.deepEqual(snapshot(home), theirs)
      await using store = await openIndex(ours)
      assert.deepEqual([...(await takeOver({ home, ours, version }, store)).failed], [])
      for (const id of FOLDERS) {
        await compareFolder(store, version, id)
        await compareTotals(store, version, id)
      }
      assert.deepEqual(snapshot(home), theirs)
      assert.deepEqual(leftovers(ours), [])
    }
    reportRow({ id: 'D-09', tried: KILLS, survived: KILLS, steps, version })
  })
}

/** Copies and temporary files. */
function leftovers(ours: string): readonly string[] {
  return readdirSync(ours, { recursive: true, encoding: 'utf8' }).filter((name) => /^import.|\.tmp$/.test(name))
}
