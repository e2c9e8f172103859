import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'
import {
  generateSyncthingHome,
  missingSyncthing,
  quietConfig,
  startSyncthing,
  Syncthing,
} from '../support/syncthing.ts'
import { field } from './pair.ts'

// Debian 12 has one that writes version 36 of the configuration, and refuses 37.
process.env['TWINFOLD_SYNCTHING'] = 'installed'
const skip = missingSyncthing() ?? false

test('the kept copy of the configuration lets an older Syncthing start without a word', { skip }, async (t) => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  generateSyncthingHome(home)
  const isOld = readFileSync(join(home, 'config.xml'), 'utf8').includes('<configuration version="36">')
  if (!isOld) return t.skip('the Syncthing that is installed here is not an old one')
  quietConfig(home)
  {
    await using _daemon = await startDaemon({ home })
  }
  assert.ok(existsSync(join(home, 'config.xml.v36')), 'the old form is kept beside the new one')
  await using refused = new Syncthing({ home })
  assert.equal(await refused.ended(), 1)
  assert.match(refused.output, /version \(37\) is newer than supported version \(36\)/)
  copyFileSync(join(home, 'config.xml.v36'), join(home, 'config.xml'))
  await using again = await startSyncthing({ home })
  assert.equal(field(await again.get('/rest/system/ping'), 'ping'), 'pong')
})
