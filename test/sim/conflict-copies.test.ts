/** A conflict copy is a file like any other: what is renamed over it, or made of it, is not lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const COPY = 'f.sync-conflict-20260101-000000-ABCDEFG'

interface Scenario {
  readonly onA: (a: SimDevice) => void
  readonly onB: (b: SimDevice) => void
  readonly kept: readonly string[]
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'both edit it': {
    onA: (a) => write(a, COPY, 'copy, edited on a'),
    onB: (b) => write(b, COPY, 'copy, edited on b, longer'),
    kept: ['copy, edited on a', 'copy, edited on b, longer', 'original', 'other'],
  },
  'one renames another file over it, the other edits it': {
    onA: (a) => a.disk.direct.rename(`${ROOT}/g`, `${ROOT}/${COPY}`),
    onB: (b) => write(b, COPY, 'copy, edited on b'),
    kept: ['copy, edited on b', 'original', 'other'],
  },
  'one renames it over the original, the other edits the original': {
    onA: (a) => a.disk.direct.rename(`${ROOT}/${COPY}`, `${ROOT}/f`),
    onB: (b) => write(b, 'f', 'original, edited on b'),
    kept: ['copy', 'original, edited on b', 'other'],
  },
  'one renames it over the original, the other edits it': {
    onA: (a) => a.disk.direct.rename(`${ROOT}/${COPY}`, `${ROOT}/f`),
    onB: (b) => write(b, COPY, 'copy, edited on b'),
    kept: ['copy', 'copy, edited on b', 'other'],
  },
  'one renames it over the original, the other removes both': {
    onA: (a) => a.disk.direct.rename(`${ROOT}/${COPY}`, `${ROOT}/f`),
    onB: (b) => {
      b.disk.direct.remove(`${ROOT}/f`)
      b.disk.direct.remove(`${ROOT}/${COPY}`)
    },
    kept: ['copy', 'other'],
  },
}

for (const [what, { onA, onB, kept }] of Object.entries(SCENARIOS)) {
  for (const older of ['', ', with an older index']) {
    test(`nothing of a conflict copy is lost: ${what}${older}`, async () => {
      await using some = await SomeDevices.start('a', 'b')
      const [a, b] = some.devices
      assert.ok(a !== undefined && b !== undefined)
      const backup = b.backUp()
      write(a, 'f', 'original')
      write(a, 'g', 'other')
      write(a, COPY, 'copy')
      assert.equal(await some.converge(), undefined)
      some.network.partition('a', 'b')
      await some.pass(2_000)
      if (older !== '') {
        await some.during(b.stop())
        await b.restoreHome(backup)
      }
      onA(a)
      onB(b)
      await b.start()
      await some.scanAll()
      some.network.heal('a', 'b')
      assert.equal(await some.converge(), undefined)
      assert.deepEqual(filesOf(a), filesOf(b))
      const contents = new Set(filesOf(a).map((file) => file.slice(file.indexOf(': ') + 2)))
      assert.deepEqual(
        kept.filter((content) => !contents.has(content)),
        [],
      )
    })
  }
}
