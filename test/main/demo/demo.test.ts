import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { ParsedFlags } from '../../../src/cli/args/parsed-flags.ts'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { readDemoOptions } from '../../../src/main/args/demo-flags.ts'
import { simulateEdits } from '../../../src/main/demo/demo-edits.ts'
import { landscape } from '../../../src/main/demo/demo-picture.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const flags = (values: Readonly<Record<string, string>>) => new ParsedFlags(new Map()).with(values)

test('demo options: any free port and a browser by default', () => {
  assert.deepEqual(readDemoOptions(flags({})), { port: 0, openBrowser: true })
  assert.deepEqual(readDemoOptions(flags({ port: '8400', 'no-browser': 'true' })), { port: 8_400, openBrowser: false })
  for (const port of ['', '-1', '65536', '1e3', ' 80', '080808']) {
    assert.throws(() => readDemoOptions(flags({ port })), TwinfoldError, port)
  }
})

test('demo pictures: each is a valid picture, and equal numbers give equal pictures', () => {
  const picture = Buffer.from(landscape(7))
  assert.deepEqual(picture, Buffer.from(landscape(7)))
  assert.notDeepEqual(picture, Buffer.from(landscape(8)))
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)]
  const dataAt = picture.indexOf('IDAT') + 4
  const rows = inflateSync(picture.subarray(dataAt, dataAt + picture.readUInt32BE(dataAt - 8)))
  assert.equal(rows.length, height * (1 + width * 3))
  assert.ok(new Set(rows).size > 50, 'more than a plain colour')
})

test('demo edits: many changes stay below two hundred files and fifty megabytes', async () => {
  using scratch = scratchDirectory()
  const places = { laptop: join(scratch.path, 'Laptop'), desk: join(scratch.path, 'Desk') }
  for (const place of Object.values(places)) mkdirSync(place)
  const stop = new AbortController()
  let sleeps = 0
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: async () => {
      if (++sleeps === 120) stop.abort()
    },
  }
  await simulateEdits({ clock, random: nodeRandom }, places, stop.signal)
  const files = readdirSync(scratch.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sizeBytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  assert.ok(files.length > 10 && files.length < 100, `${files.length} files`)
  assert.ok(sizeBytes < 25_000_000, `${sizeBytes} bytes`) // each is on two devices
})
