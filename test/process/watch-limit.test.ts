import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { cannotLimitWatches, fewWatches } from '../support/few-watches.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

interface Status {
  readonly state: string
  readonly watchError: string
  readonly localFiles: number
  readonly localDeleted: number
}

const DIRECTORIES = 100

test(
  'C-16: a daemon that may not watch the whole folder reports it, and a rescan finds every change',
  { skip: cannotLimitWatches() },
  async () => {
    using scratch = scratchDirectory()
    const root = join(scratch.path, 'root')
    for (let i = 0; i < DIRECTORIES; i++) {
      mkdirSync(join(root, `d${i}`), { recursive: true })
      writeFileSync(join(root, `d${i}`, 'old'), `old ${i}`)
    }
    await using daemon = await startDaemon({
      home: join(scratch.path, 'home'),
      before: fewWatches('max_inotify_watches', 20),
    })
    await daemon.addFolder('docs', root, { fsWatcherEnabled: true, fsWatcherDelayS: 0.2, rescanIntervalS: 0 })
    await daemon.post('/rest/db/scan?folder=docs')
    const status = async (): Promise<Status> => (await daemon.get('/rest/db/status?folder=docs')) as Status
    const { watchError } = await eventually('the complaint', async () => {
      const now = await status()
      return now.watchError === '' ? undefined : now
    })
    const [, needed, allowed] =
      /needs (\d+) directories or more, the system allows (\d+) .*raise user\.max_inotify_watches/.exec(watchError) ??
      []
    assert.deepEqual([Number(needed), Number(allowed)], [DIRECTORIES + 1, 20], watchError)

    for (let i = 0; i < DIRECTORIES; i++) {
      writeFileSync(join(root, `d${i}`, 'new'), 'new')
      if (i % 2 === 0) writeFileSync(join(root, `d${i}`, 'old'), `changed ${i}`)
      else rmSync(join(root, `d${i}`, 'old'))
    }
    await daemon.post('/rest/db/scan?folder=docs')
    let missed = 0
    for (let i = 0; i < DIRECTORIES; i++) {
      const added = (await daemon.request('GET', `/rest/db/file?folder=docs&file=d${i}/new`)).ok
      const { local } = (await daemon.get(`/rest/db/file?folder=docs&file=d${i}/old`)) as {
        local: { deleted: boolean; size: number }
      }
      const followed = i % 2 === 0 ? local.size === `changed ${i}`.length : local.deleted
      missed += (added ? 0 : 1) + (followed ? 0 : 1)
    }
    const { localFiles, localDeleted, state } = await status()
    reportRow({
      id: 'C-16',
      part: 'limit reached',
      tried: 2 * DIRECTORIES,
      missed,
      needed: Number(needed),
      allowed: Number(allowed),
    })
    assert.equal(missed, 0)
    assert.deepEqual([state, localFiles, localDeleted], ['idle', DIRECTORIES + DIRECTORIES / 2, DIRECTORIES / 2])
  },
)
