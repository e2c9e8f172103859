import type { CDPSession, Page } from 'playwright-core'
import { Chromium } from '../../test/support/browser.ts'
import { atRest } from '../../test/support/views.ts'
import type { Rig } from './build.ts'
import { changeFiles } from './changes.ts'

const CHANGES_PER_S = 20
const WATCHED_MS = 20_000
const HEAP_POINTS = 6
const MINUTE_MS = 60_000
const MIB = 1_024 * 1_024

/** Functions inside the page; as text, because the policy of the page allows no other script. */
const IN_PAGE = `
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  const rows = () => [...document.querySelectorAll('tr[data-index]')]
  const inSight = () => rows().filter((row) => {
    const { top, bottom } = row.getBoundingClientRect()
    return bottom > 60 && top < innerHeight
  })
  const isLoaded = () => {
    const seen = inSight()
    return seen.length > 3 && seen.every((row) => !row.textContent.includes('…'))
  }
  const until = async (test) => {
    const begun = performance.now()
    while (!test()) {
      if (performance.now() - begun > 20000) throw new Error('not shown: ' + location.hash)
      await new Promise((done) => setTimeout(done, 1))
    }
    return performance.now() - begun
  }
  const timed = async (act) => {
    const begun = performance.now()
    act()
    await frame()
    return { begun, frame: performance.now() - begun }
  }
`

async function inPage<T>(page: Page, body: string): Promise<T> {
  return page.evaluate(`(async () => { ${IN_PAGE} ${body} })()`)
}

function print(what: string, figures: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify({ what, ...figures }))
}

/** The latencies of long lists, the cost of many events, and the heap after them. */
export async function measurePage(rig: Rig, minutes: number): Promise<void> {
  await using browser = await Chromium.start()
  const url = `${rig.desk.daemon.url}/`
  await browser.visit({ url, context: { viewport: { width: 1_440, height: 900 } } }, async ({ page }) => {
    await atRest(page)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await measureTree(page, session)
    await measureQueue(page, session)
    for (const place of ['changes', 'folders/measurements/files'])
      await withChanges(rig, async () => print(`20 changes a second: ${place}`, await load(page, session, place)))
    await withChanges(rig, () => measureHeap(page, session, minutes))
  })
}

async function measureTree(page: Page, session: CDPSession): Promise<void> {
  const firstMs = await inPage<number>(
    page,
    `location.hash = '#/folders/measurements/files'
     await until(() => document.querySelector('tr[aria-expanded]'))
     document.querySelector('tr[aria-expanded] button').click()
     return until(() => inSight().length > 10 && isLoaded())`,
  )
  print('20,000 entries: first rows, ms', { firstMs: Math.round(firstMs) })
  print('20,000 entries: scrolls to far places, ms', await timesOf(page, session, SCROLLS))
  print('20,000 entries: keystrokes, ms', await timesOf(page, session, KEYS))
}

async function measureQueue(page: Page, session: CDPSession): Promise<void> {
  const firstMs = await inPage<number>(
    page,
    `location.hash = '#/'
     await frame()
     location.hash = '#/folders/archive/waiting'
     return until(isLoaded)`,
  )
  print('queue: first rows, ms', { firstMs: Math.round(firstMs) })
  print('queue: scrolls to far places, ms', await timesOf(page, session, SCROLLS))
}

/** The fastest of them counts: other machines on the same host take the processor away, at times for a second. */
const ROUNDS = 3

/** Scripts of the page: what happens before a round, and each act of a round. */
interface Acts {
  readonly before: string
  readonly acts: readonly string[]
}

const SCROLLS: Acts = {
  before: 'scrollTo(0, 0); await until(isLoaded)',
  acts: Array.from(
    { length: 40 },
    (_, at) => `scrollTo(0, ${((at * 37) % 40) / 40} * document.documentElement.scrollHeight)`,
  ),
}

const KEYS: Acts = {
  before: `scrollTo(0, 0)
    await until(() => rows()[2]?.dataset.index === '2' && isLoaded())
    rows()[2].focus()`,
  acts: Array.from({ length: 60 }, (_, at) => {
    const key = at % 20 === 19 ? 'PageDown' : 'ArrowDown'
    return `document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))`
  }),
}

/** Until the next frame is shown, until all rows in it are loaded, and the processor time of the page for the frame. */
type Times = Readonly<Record<'frame' | 'loaded' | 'processor', number>>

async function timesOf(page: Page, session: CDPSession, { before, acts }: Acts): Promise<Record<string, unknown>> {
  const rounds: Times[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    await inPage(page, before)
    const times: Times[] = []
    for (const act of acts) times.push(await timesOfAct(page, session, act))
    rounds.push(times)
  }
  const kinds = ['frame', 'loaded', 'processor'] as const
  return Object.fromEntries(
    kinds.map((kind) => [kind, medianAndMax(rounds.map((times) => times.map((time) => time[kind])))]),
  )
}

async function timesOfAct(page: Page, session: CDPSession, act: string): Promise<Times> {
  const startedS = await taskSeconds(session)
  const { begun, frame } = await inPage<{ readonly begun: number; readonly frame: number }>(
    page,
    `return timed(() => { ${act} })`,
  )
  const processor = ((await taskSeconds(session)) - startedS) * 1_000
  const loaded = await inPage<number>(page, `await until(isLoaded); return performance.now() - ${begun}`)
  return { frame, loaded, processor }
}

/** Of the fastest time of each act. */
function medianAndMax(rounds: readonly (readonly number[])[]): { readonly median: number; readonly max: number } {
  const fastest = rounds[0]!.map((_, at) => Math.round(Math.min(...rounds.map((times) => times[at]!))))
  const sorted = fastest.toSorted((one, other) => one - other)
  return { median: sorted[Math.floor(sorted.length / 2)]!, max: sorted.at(-1)! }
}

async function withChanges(rig: Rig, act: () => Promise<void>): Promise<void> {
  const ended = new AbortController()
  const changing = changeFiles(rig, CHANGES_PER_S, ended.signal)
  await act()
  ended.abort()
  print('changes made', { changes: await changing })
}

/** The share of one core that the page needs, and its tasks of 50 ms and more. */
async function load(page: Page, session: CDPSession, place: string): Promise<Readonly<Record<string, unknown>>> {
  await inPage(page, `location.hash = '#/${place}'; await frame()`)
  await atRest(page)
  const before = await taskSeconds(session)
  const tasks = await inPage<readonly number[]>(
    page,
    `const tasks = []
     const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)))
     observer.observe({ type: 'longtask' })
     await new Promise((done) => setTimeout(done, ${WATCHED_MS}))
     return tasks`,
  )
  const core = (await taskSeconds(session)) - before
  return {
    corePercent: Math.round((core / WATCHED_MS) * 1_000 * 100),
    longTasks: tasks.length,
    longestMs: Math.round(Math.max(0, ...tasks)),
  }
}

/** Processor time of the page's main thread. */
async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

/** After a collection of garbage each time, so that only what is kept counts. */
async function measureHeap(page: Page, session: CDPSession, minutes: number): Promise<void> {
  const points: number[] = []
  for (let at = 0; at < HEAP_POINTS; at++) {
    await page.waitForTimeout((minutes * MINUTE_MS) / HEAP_POINTS)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    points.push(Math.round((usedSize / MIB) * 10) / 10)
  }
  print(`heap during ${minutes} minutes of events, MiB`, { points })
}
