import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { PageDrops, residentNow, type Resident } from '../../../src/platform/node/page-drops.ts'

const DIRECTORY = new URL('../../../src/platform/node/', import.meta.url)
const notLinux = process.platform === 'linux' ? false : 'only Linux tells and drops pages of files'
const MIB = 1_024 * 1_024
const LARGE: Resident = { bytes: 120 * MIB, ofFilesBytes: 28 * MIB }
const MUCH_OF_FILES: Resident = { ...LARGE, ofFilesBytes: 40 * MIB }

/** Calls `worked` every 10 ms for a time; how often pages were dropped. */
function dropsIn(ms: number, resident: Resident): number {
  let nowMs = 0
  let drops = 0
  const pageDrops = new PageDrops({
    drop: async () => void drops++,
    nowMs: () => nowMs,
    resident: () => resident,
  })
  for (; nowMs < ms; nowMs += 10) pageDrops.worked()
  return drops
}

test('pages of the executable are dropped twice a second while there is work', () => {
  assert.equal(dropsIn(10_000, LARGE), 20)
})

test('much that comes back is dropped after a tenth of a second, and later each time it comes back again', () => {
  assert.equal(dropsIn(90, MUCH_OF_FILES), 1)
  assert.equal(dropsIn(150, MUCH_OF_FILES), 2)
  assert.equal(dropsIn(290, MUCH_OF_FILES), 2)
  assert.equal(dropsIn(350, MUCH_OF_FILES), 3)
  assert.equal(dropsIn(12_000, MUCH_OF_FILES), 40)
})

test('a process that becomes large has not long to wait for its first drop', () => {
  let nowMs = 0
  let droppedMs = Infinity
  const pageDrops = new PageDrops({
    drop: async () => void (droppedMs = Math.min(droppedMs, nowMs)),
    nowMs: () => nowMs,
    resident: () => ({ ...LARGE, bytes: nowMs * MIB }),
  })
  for (; nowMs < 1_000; nowMs += 10) pageDrops.worked()
  assert.equal(droppedMs, 100)
})

test('a small process keeps its pages, and a large one those that it uses all the time', () => {
  assert.equal(dropsIn(10_000, { ...MUCH_OF_FILES, bytes: 70 * MIB }), 0)
  assert.equal(dropsIn(10_000, { ...LARGE, ofFilesBytes: 20 * MIB }), 0)
})

test('after a failure the pages stay until the next time', async () => {
  let nowMs = 0
  let drops = 0
  const drop = () => Promise.reject(new Error(`no such call ${++drops}`)) // unhandled, it would fail this file
  const pageDrops = new PageDrops({ drop, nowMs: () => nowMs, resident: () => LARGE })
  for (; nowMs < 2_000; nowMs += 500) pageDrops.worked()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(drops, 4)
})

test('what is resident is known, and the part of files where the system tells', () => {
  const { bytes, ofFilesBytes } = residentNow()
  assert.ok(bytes > 20 * MIB && bytes < 2_000 * MIB, String(bytes))
  if (process.platform === 'linux') assert.ok(ofFilesBytes > 5 * MIB && ofFilesBytes < bytes, String(ofFilesBytes))
})

/**
 * Maps the whole executable after the drop that ends a start, then works until half of what is resident of files is
 * gone, and the same again. Only a read by the kernel maps pages that are not used.
 */
const WORKING = `
  const fs = await import('node:fs')
  const { createNodePlatform } = await import(process.argv[1])
  const { residentNow } = await import(process.argv[2])
  const memory = fs.openSync('/proc/self/mem')
  const executable = fs.readlinkSync('/proc/self/exe')
  const ranges = fs.readFileSync('/proc/self/maps', 'latin1').split('\\n').filter((line) => line.endsWith(executable))
  await using platform = createNodePlatform()
  const held = Buffer.alloc(120 * 1024 * 1024, 1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  for (const round of [1, 2]) {
    for (const line of ranges) {
      const [from, to] = line.split(' ')[0].split('-').map((text) => parseInt(text, 16))
      for (let at = from; at < to; at += 4_096) fs.readSync(memory, held, 0, 1, at)
    }
    const { ofFilesBytes } = residentNow()
    while (residentNow().ofFilesBytes > ofFilesBytes / 2) {
      Array.from({ length: 20_000 }, (_, number) => ({ number }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    console.log(Math.round(ofFilesBytes / 2 ** 20))
  }`

test('a process of the platform that works drops pages of its executable', { skip: notLinux }, () => {
  const modules = ['platform.ts', 'page-drops.ts'].map((name) => new URL(name, DIRECTORY).href)
  const args = ['--input-type=module', '--eval', WORKING, ...modules]
  const { stdout, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
  assert.equal(error, undefined, 'they are still there')
  assert.match(stdout, /^\d+\n\d+\n$/, stderr)
})
