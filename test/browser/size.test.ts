/** What a browser has to load: before the page is shown, and in all. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildGui } from '../../tools/gui-build.ts'
import { scratchDirectory } from '../support/scratch.ts'

const FIRST_BYTES_MAX = 120_000
const BYTES_MAX = 210_000

test('scripts and styles, compressed: 120 kB for the first view, 210 kB with all that is opened', async () => {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'gui')
  const { firstBytes, bytes } = await buildGui(directory)
  assert.ok(existsSync(join(directory, 'index.html')))
  const inKb = (count: number) => Math.round(count / 100) / 10
  console.log(JSON.stringify({ page: 'scripts and styles, compressed', firstKb: inKb(firstBytes), kB: inKb(bytes) }))
  assert.ok(firstBytes <= FIRST_BYTES_MAX, `the first view takes ${firstBytes} bytes`)
  assert.ok(bytes <= BYTES_MAX, `all take ${bytes} bytes`)
})
