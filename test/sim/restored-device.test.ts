/** D-04: a device that was restored from a backup first meets a device that has no, or no own, evidence of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { DOCS } from '../support/model.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const WHILE = 120_000

interface Three {
  readonly some: SomeDevices
  readonly a: SimDevice
  readonly b: SimDevice
  readonly c: SimDevice
}

async function threeDevices(): Promise<Three> {
  const some = await SomeDevices.start('a', 'b', 'c')
  const [a, b, c] = some.devices
  assert.ok(a !== undefined && b !== undefined && c !== undefined)
  return { some, a, b, c }
}

async function scan({ some }: Three, device: SimDevice): Promise<void> {
  await some.during(device.model?.scan(DOCS) ?? Promise.resolve())
}

/** Device a has the first version of two files again; the others have the second one as said. */
async function restoreFirst(three: Three, secondReachesB: boolean): Promise<void> {
  const { some, a } = three
  for (const name of ['edited', 'removed']) write(a, name, `${name} 1`)
  assert.equal(await some.converge(), undefined)
  const backup = a.backUp()
  some.network.partition('a', 'b')
  if (!secondReachesB) some.network.partition('b', 'c')
  await some.pass(WHILE)
  for (const name of ['edited', 'removed']) write(a, name, `${name} 2, after the backup`)
  await scan(three, a)
  await some.pass(WHILE)
  await some.during(a.stop())
  a.disk.direct.restore(ROOT, backup.items)
  await a.restoreHome(backup)
  some.network.partition('a', 'c')
  some.network.partition('b', 'c')
}

for (const secondReachesB of [true, false]) {
  const what = secondReachesB ? 'received the lost version from another one' : 'never had the lost version'
  test(`D-04: an edit on a restored version loses nothing if the first device that it meets ${what}`, async () => {
    const three = await threeDevices()
    const { some, a, b, c } = three
    await using _some = some
    await restoreFirst(three, secondReachesB)
    assert.ok(filesOf(c).includes('edited: edited 2, after the backup'))
    assert.equal(filesOf(b).includes('edited: edited 2, after the backup'), secondReachesB)
    some.network.heal('a', 'b')
    await a.start()
    write(a, 'edited', 'edited on the restored version')
    a.disk.direct.remove(`${ROOT}/removed`)
    await scan(three, a)
    await some.pass(WHILE)
    // The edit passes through the second device first.
    some.network.partition('a', 'b')
    some.network.heal('b', 'c')
    await some.pass(WHILE)
    some.network.heal('a', 'b')
    some.network.heal('a', 'c')
    assert.equal(await some.converge(), undefined)
    for (const device of [b, c]) assert.deepEqual(filesOf(device), filesOf(a))
    const lost = ['edited 2, after the backup', 'removed 2, after the backup'].filter(
      (content) => !filesOf(a).some((file) => file.endsWith(content)),
    )
    reportRow({ id: 'D-04', part: `restored, then met a device that ${what}`, tried: 2, lost: lost.length })
    assert.deepEqual(lost, [])
    assert.ok(filesOf(a).some((file) => file.endsWith('edited on the restored version')))
  })
}

test('D-04: versions grow with a start of a device only until all others have confirmed its index', async () => {
  const three = await threeDevices()
  const { some, a, c } = three
  await using _some = some
  const lengths: (number | undefined)[] = []
  async function restartAndEdit(text: string): Promise<void> {
    await some.during(a.stop())
    await a.start()
    await some.pass(WHILE)
    write(a, 'f', text)
    await scan(three, a)
    lengths.push((await (await a.index()).records.get('local', 'f'))?.version.length)
  }
  write(a, 'f', 'first')
  assert.equal(await some.converge(), undefined)
  for (const text of ['all', 'others', 'are connected']) await restartAndEdit(text)
  await some.during(c.stop())
  for (const text of ['the third', 'is away']) await restartAndEdit(text)
  await c.start()
  await some.pass(WHILE)
  write(a, 'f', 'it is back')
  await scan(three, a)
  lengths.push((await (await a.index()).records.get('local', 'f'))?.version.length)
  assert.deepEqual(lengths, [1, 1, 1, 2, 3, 3])
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(c), ['f: it is back'])
})
