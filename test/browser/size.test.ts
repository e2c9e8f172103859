/** What a browser has to load before the page is shown. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildGui } from '../../tools/gui-build.ts'
import { scratchDirectory } from '../support/scratch.ts'

const BYTES_MAX = 165_000

test('scripts and styles of the page are at most 165 kB when compressed', async () => {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'gui')
  const { bytes } = await buildGui(directory)
  assert.ok(existsSync(join(directory, 'index.html')))
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`)
  console.log(
    JSON.stringify({
      page: 'scripts and styles, compressed',
      kB: Math.round(bytes / 100) / 10,
      kBMax: BYTES_MAX / 1_000,
    }),
  )
})
