import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { generateSyncthingHome, missingSyncthing, quietConfig, startSyncthing } from '../support/syncthing.ts'
import { field } from './pair.ts'

// Debian 12 has one that writes version 36 of the configuration, and refuses 37.
process.env['TWINFOLD_SYNCTHING'] = 'installed'
const skip = missingSyncthing() ?? false

test('an older Syncthing starts again on its home, with the settings that were changed since', { skip }, async (t) => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  generateSyncthingHome(home)
  const isOld = () => readFileSync(join(home, 'config.xml'), 'utf8').includes('<configuration version="36">')
  if (!isOld()) return t.skip('the Syncthing that is installed here is not an old one')
  quietConfig(home)
  {
    await using daemon = await startDaemon({ home })
    await daemon.request('PATCH', '/rest/config/options', { maxSendKbps: 12_345 })
  }
  assert.ok(isOld(), 'the version of the file is kept')
  await using again = await startSyncthing({ home })
  assert.equal(field(await again.get('/rest/config/options'), 'maxSendKbps'), 12_345)
})
