/** Ordinary work and disasters on the disk of a device with a guard: all disasters are held, nothing else is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import { DOCS, simConfig, simFolder, SimHub } from '../support/model.ts'
import { ROOT } from './started-hub.ts'

const HOUR_MS = 3_600_000

type Work = (disk: Desk) => Promise<void> | void

/** A folder and what a user does to it, scanned after each step. */
class Desk {
  readonly #hub: SimHub

  constructor(hub: SimHub) {
    this.#hub = hub
  }

  write(name: string, text: string): void {
    this.#hub.platform.disk.put(`${ROOT}/${name}`, text)
  }

  fill(directory: string, count: number, of = directory): void {
    for (let i = 0; i < count; i++) this.write(`${directory}/f${i}.txt`, `${of} ${i}`)
  }

  remove(name: string): void {
    this.#hub.platform.disk.direct.remove(`${ROOT}/${name}`)
  }

  removeSome(directory: string, from: number, to: number): void {
    for (let i = from; i < to; i++) this.remove(`${directory}/f${i}.txt`)
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#hub.platform.disk.rename(`${ROOT}/${from}`, `${ROOT}/${to}`)
  }

  async scan(path = ''): Promise<void> {
    await this.#hub.while(this.#hub.model.scan(DOCS, [path]))
  }

  async later(ms: number): Promise<void> {
    await this.#hub.pass(ms)
  }

  async held(): Promise<number> {
    const { held } = await this.#hub.model.guard(DOCS)
    return held.reduce((sum, { deletions, truncations }) => sum + deletions + truncations, 0)
  }

  /** Also what was held for a moment only. */
  get everHeld(): number {
    return this.#hub.of('FolderGuardHeld').length
  }
}

async function heldBy(prepare: Work, work: Work): Promise<{ readonly held: number; readonly ever: number }> {
  await using hub = await SimHub.open(simConfig([simFolder('docs', { rescanIntervalS: 360_000 })]))
  hub.extensions = { ...FOLDER_EXTENSIONS, guard: true }
  const desk = new Desk(hub)
  await prepare(desk)
  hub.run()
  await desk.scan()
  await desk.later(3 * HOUR_MS)
  await work(desk)
  await desk.scan()
  return { held: await desk.held(), ever: desk.everHeld }
}

const source: Work = (desk) => {
  desk.fill('src', 300)
  desk.fill('docs', 60)
  desk.write('README.md', 'read me')
}

const ORDINARY: Readonly<Record<string, readonly [Work, Work]>> = {
  'branch switch, to and fro eight times within the hour': [
    source,
    async (desk) => {
      for (let round = 0; round < 8; round++) {
        const at = (round % 7) * 40
        desk.removeSome('src', at, at + 40)
        for (let i = 280; i < 300; i++) desk.write(`src/f${i}.txt`, `other ${round % 2} ${i}`)
        desk.fill('feature', 30)
        await desk.scan()
        await desk.later(60_000)
        desk.remove('feature')
        for (let i = at; i < at + 40; i++) desk.write(`src/f${i}.txt`, `src ${i}`)
        await desk.scan()
        await desk.later(60_000)
      }
    },
  ],
  'node_modules removed': [
    (desk) => {
      desk.fill('web/src', 40)
      desk.fill('web/node_modules/a', 1_500)
    },
    (desk) => desk.remove('web/node_modules'),
  ],
  'photos moved': [(desk) => desk.fill('Camera', 300), async (desk) => await desk.rename('Camera', 'Photos')],
  'photos copied, and the old ones deleted ten minutes later': [
    (desk) => desk.fill('Camera', 300),
    async (desk) => {
      desk.fill('2026/Camera', 300, 'Camera')
      await desk.scan()
      await desk.later(600_000)
      desk.remove('Camera')
    },
  ],
  'directory of 2,000 renamed': [
    (desk) => {
      for (let i = 0; i < 20; i++) desk.fill(`a/${i}`, 100)
    },
    async (desk) => await desk.rename('a', 'z'),
  ],
  'unzip and delete within the hour': [
    (desk) => desk.fill('docs', 50),
    async (desk) => {
      desk.fill('unzipped', 800)
      await desk.scan()
      await desk.later(0.9 * HOUR_MS)
      desk.remove('unzipped')
    },
  ],
  'git gc': [
    (desk) => {
      for (let i = 0; i < 400; i++)
        desk.write(`.git/objects/${(i % 256).toString(16).padStart(2, '0')}/${i.toString(16)}`, `object ${i}`)
      desk.fill('src', 60)
    },
    (desk) => {
      for (let i = 0; i < 256; i++) desk.remove(`.git/objects/${i.toString(16).padStart(2, '0')}`)
      desk.write('.git/objects/pack/p.pack', 'packed')
    },
  ],
  'all pictures converted to another format': [
    (desk) => {
      for (let i = 0; i < 100; i++) desk.write(`p/${i}.png`, `png ${i}`)
    },
    (desk) => {
      for (let i = 0; i < 100; i++) {
        desk.remove(`p/${i}.png`)
        desk.write(`p/${i}.jpg`, `jpg ${i}`)
      }
    },
  ],
  'a small folder emptied': [(desk) => desk.fill('drop', 19), (desk) => desk.remove('drop')],
  'a fifth tidied up': [(desk) => desk.fill('docs', 500), (desk) => desk.removeSome('docs', 0, 100)],
  'a few files deleted each hour': [
    (desk) => desk.fill('docs', 100),
    async (desk) => {
      for (let at = 0; at < 60; at += 10) {
        desk.removeSome('docs', at, at + 10)
        await desk.scan()
        await desk.later(1.1 * HOUR_MS)
      }
    },
  ],
}

const DISASTERS: Readonly<Record<string, readonly [Work, Work]>> = {
  'deleted a moment after a rename': [
    source,
    async (desk) => {
      await desk.rename('src', 'renamed')
      await desk.scan()
      desk.remove('renamed')
    },
  ],
  'delete all': [source, (desk) => ['src', 'docs', 'README.md'].forEach((name) => desk.remove(name))],
  'truncate all': [
    source,
    (desk) => {
      for (let i = 0; i < 300; i++) desk.write(`src/f${i}.txt`, '')
    },
  ],
  'half a disk': [
    (desk) => {
      desk.fill('first', 100)
      desk.fill('second', 100)
    },
    (desk) => desk.remove('second'),
  ],
  'wrong disk mounted': [
    source,
    (desk) => {
      for (const name of ['src', 'docs', 'README.md']) desk.remove(name)
      desk.fill('music', 400)
    },
  ],
  'rm -rf beside a large node_modules': [
    (desk) => {
      desk.fill('web/src', 40)
      desk.fill('web/node_modules/a', 1_500)
    },
    (desk) => desk.remove('web'),
  ],
  'a script that deletes ten files a minute': [
    (desk) => desk.fill('docs', 100),
    async (desk) => {
      for (let at = 0; at < 100; at += 10) {
        desk.removeSome('docs', at, at + 10)
        await desk.scan('docs')
        await desk.later(60_000)
      }
    },
  ],
  'both copies of everything deleted': [
    (desk) => {
      desk.fill('a', 100, 'same')
      desk.fill('b', 100, 'same')
    },
    (desk) => ['a', 'b'].forEach((name) => desk.remove(name)),
  ],
  'a part renamed, the rest deleted': [
    (desk) => {
      desk.fill('a', 200)
      desk.fill('b', 100)
    },
    async (desk) => {
      await desk.rename('a', 'c')
      desk.remove('b')
    },
  ],
}

test('no ordinary work is held', { timeout: 120_000 }, async () => {
  const held: string[] = []
  for (const [name, [prepare, work]] of Object.entries(ORDINARY)) {
    const { ever } = await heldBy(prepare, work)
    if (ever > 0) held.push(`${name}: ${ever}`)
  }
  assert.deepEqual(held, [], `${held.length} of ${Object.keys(ORDINARY).length} false holds`)
})

test('every disaster is held', { timeout: 120_000 }, async () => {
  const missed: string[] = []
  for (const [name, [prepare, work]] of Object.entries(DISASTERS))
    if ((await heldBy(prepare, work)).held === 0) missed.push(name)
  assert.deepEqual(missed, [], `${missed.length} of ${Object.keys(DISASTERS).length} missed`)
})
