import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AddressFile } from '../../../src/main/home/address-file.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { quietLogger } from '../../support/logger.ts'
import { scratchDirectory } from '../../support/scratch.ts'

test('the address of a daemon is in its home while it runs; a failure to write it is logged', async () => {
  using scratch = scratchDirectory()
  const log = quietLogger('main')
  const addressFile = join(scratch.path, 'address.json')
  writeFileSync(addressFile, 'of a daemon that was killed')
  {
    await using file = await AddressFile.open({ disk: nodeDisk, log }, { addressFile }, 7)
    assert.equal(existsSync(addressFile), false)
    await file.write('http://127.0.0.1:1')
    await file.write('unix:///run/gui.sock')
    assert.deepEqual(JSON.parse(readFileSync(addressFile, 'utf8')), { address: 'unix:///run/gui.sock', processId: 7 })
    assert.equal(statSync(addressFile).mode & 0o777, 0o600)
  }
  assert.equal(existsSync(addressFile), false)
  assert.deepEqual(log.lines, [])
  mkdirSync(addressFile)
  await (await AddressFile.open({ disk: nodeDisk, log }, { addressFile }, 7)).write('http://127.0.0.1:1')
  assert.match(log.lines.join('\n'), /cannot be removed.*\n.*cannot be written, commands do not find/)
})
