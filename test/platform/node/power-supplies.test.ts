/** Batteries of a directory such as that of sysfs, and the zone of the machine. */
import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isOnBattery, parseMetered } from '../../../src/core/schedule/conditions.ts'
import { readPowerSupplies } from '../../../src/platform/node/power-supplies.ts'
import { readTimeZone } from '../../../src/platform/node/time-zone.ts'
import { scratchDirectory } from '../../support/scratch.ts'

async function supply(directory: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(directory, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, name, file), `${text}\n`)
}

test('a laptop runs on its battery when no charger is online and its battery discharges', async () => {
  using scratch = scratchDirectory()
  const root = scratch.path
  const answer = async () => isOnBattery(await readPowerSupplies(root))
  assert.equal(await answer(), 'no', 'a machine without a battery')
  await supply(root, 'hidpp_battery_0', { type: 'Battery', status: 'Discharging', scope: 'Device' })
  assert.equal(await answer(), 'no', 'the battery of a mouse')
  await supply(root, 'BAT0', { type: 'Battery', status: 'Discharging' })
  await supply(root, 'AC', { type: 'Mains', online: '0' })
  assert.equal(await answer(), 'yes')
  await supply(root, 'AC', { type: 'Mains', online: '1' })
  assert.equal(await answer(), 'no')
  assert.equal(isOnBattery(await readPowerSupplies(join(root, 'none'))), 'unknown')
})

test('the zone is that of the link, also when it changes; TZ and a copied file have that of the start', async () => {
  using scratch = scratchDirectory()
  const link = join(scratch.path, 'localtime')
  const atStart = new Intl.DateTimeFormat().resolvedOptions().timeZone
  assert.equal(await readTimeZone(undefined, link), atStart)
  await symlink('/usr/share/zoneinfo/America/Argentina/Salta', link)
  assert.equal(await readTimeZone(undefined, link), 'America/Argentina/Salta')
  assert.equal(await readTimeZone('Europe/Paris', link), atStart)
})

test('what NetworkManager says of the connection', () => {
  const answers = ['u 0\n', 'u 1\n', 'u 2', 'u 3\n', 'u 4\n', 'u 9', '', 's "1"'].map(parseMetered)
  assert.deepEqual(answers, ['unknown', 'yes', 'no', 'yes', 'no', 'unknown', 'unknown', 'unknown'])
})
