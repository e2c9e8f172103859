import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Grants } from '../../src/config/grants.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'

const PATH = '/home/twinfold-keys.json'
const MINUTE_MS = 60_000

function scene() {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  disk.put('/home/config.xml', '')
  const warnings: string[] = []
  const deps = { disk, clock, random: new SimRandom(1), log: { warn: (text: string) => void warnings.push(text) } }
  return { clock, disk, warnings, open: () => Grants.open(deps, PATH) }
}

function textOf(disk: SimDisk): string {
  return new TextDecoder().decode(disk.direct.look(PATH)?.content)
}

const TRAY = { name: 'tray', scope: 'monitor', folders: undefined, expiresMs: undefined } as const

test('a key is found by its text, also after a restart; the file has its hash only and is private', async () => {
  const { disk, open } = scene()
  const { key } = await (await open()).addKey(TRAY)
  assert.match(key, /^[2-9a-zA-Z]{45}$/)
  const grants = await open()
  assert.equal(grants.keyOf(key)?.name, 'tray')
  for (const wrong of ['', key.slice(1), `${key}x`, key.toLowerCase(), 'x'.repeat(45)]) {
    assert.equal(grants.keyOf(wrong), undefined)
  }
  assert.ok(!textOf(disk).includes(key))
  assert.equal((await disk.lstat(PATH)).mode & 0o777, 0o600)
})

test('a revoked key is invalid at once, also where the file cannot be saved', async () => {
  const { disk, open } = scene()
  const grants = await open()
  const { grant, key } = await grants.addKey(TRAY)
  const ended = grants.ended(grant)
  disk.faults.add({ call: 'rename', code: 'EIO' })
  await assert.rejects(grants.revoke('key', 'tray'), { code: 'config-unsaved' })
  assert.deepEqual([ended.aborted, grants.isValid(grant), grants.keyOf(key)], [true, false, undefined])
  assert.equal(await grants.revoke('key', 'tray'), false)
})

test('a key that has expired is invalid', async () => {
  const { clock, open } = scene()
  const grants = await open()
  const { grant, key } = await grants.addKey({ ...TRAY, expiresMs: clock.nowMs() + MINUTE_MS })
  assert.equal(grants.keyOf(key), grant)
  await clock.advance(MINUTE_MS, async () => {})
  assert.deepEqual([grants.keyOf(key), grants.isValid(grant)], [undefined, false])
})

test('the last use is saved at most every five minutes, and never without a use', async () => {
  const { clock, disk, open } = scene()
  const grants = await open()
  const { grant } = await grants.addKey(TRAY)
  const saved: string[] = []
  for (let second = 0; second < 12 * 60; second += 10) {
    grants.noteUse(grant)
    await grants.settled()
    const text = textOf(disk)
    if (saved.at(-1) !== text) saved.push(text)
    await clock.advance(10_000, async () => {})
  }
  assert.equal(saved.length, 3, 'at 0, 5 and 10 minutes')
  assert.equal(grants.lastUseMs(grant), clock.nowMs() - 10_000)
  await clock.advance(60 * MINUTE_MS, async () => {})
  assert.equal(textOf(disk), saved.at(-1))
  assert.equal((await open()).lastUseMs(grant), clock.nowMs() - 62 * MINUTE_MS)
})

test('a damaged file is refused and stays as it is', async () => {
  const { disk, open } = scene()
  for (const text of ['', '{', '[]', '{"grants": [{}]}']) {
    disk.put(PATH, text)
    await assert.rejects(open(), { code: 'config-invalid', message: /twinfold-keys\.json: .*Nothing was changed/ })
    assert.equal(textOf(disk), text)
  }
})
