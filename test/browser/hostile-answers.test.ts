/** W-20: whatever the daemon, or another program at its address, answers, every view shows a sentence and recovers. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const OTHER = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
/** Each with a text that only its right answers lead to. */
const VIEWS: readonly (readonly [path: string, text: string | RegExp])[] = [
  ['', 'Docs'],
  ['attention', /conflict/i],
  ['folders', 'Docs'],
  ['folders/docs/files', 'plan.txt'],
  ['folders/docs/waiting', 'Everything in this folder is in sync.'],
  ['folders/docs/problems', 'plan.sync-conflict'],
  ['folders/docs/versions', 'notes/a.txt'],
  ['folders/docs/ignores', 'Nothing is ignored'],
  ['folders/docs/settings', 'Docs'],
  ['devices', 'Laptop'],
  [`devices/${OTHER}`, 'Laptop'],
  ['changes', 'plan.txt'],
  ['log', /listening/i],
  ['settings/general', 'Name of this device'],
  ['settings/network', /discovery/i],
]
const START_ROUTES =
  /\/rest\/(config|system\/(status|version|connections|error|ping)|twinfold\/(summary|pulse)|events)\b/
const LIST_MAX = 20_000
/** Every folder is compared with every device. */
const START_LIST_MAX = 1_000
/** Of a list with large entries: a reply of a hundred megabytes stops the browser before the page has it. */
const LIST_BYTES_MAX = 8_000_000
const EXPECTED = [/Failed to load resource/]

let browser: Chromium
let member: Member

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'member')
  const { daemon, root } = member
  mkdirSync(join(root, '.stversions', 'notes'), { recursive: true })
  for (const name of ['plan.txt', 'plan.sync-conflict-20250102-030405-ABCDEFG.txt'])
    writeFileSync(join(root, name), 'x')
  writeFileSync(join(root, '.stversions', 'notes', 'a~20020102-030405.txt'), 'older a')
  await daemon.addFolder('docs', root, { label: 'Docs', versioning: { type: 'simple', params: { keep: '5' } } })
  await daemon.post('/rest/config/devices', { deviceID: OTHER, name: 'Laptop', addresses: ['tcp://127.0.0.1:1'] })
  await daemon.post('/rest/db/scan?folder=docs')
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await member?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Every value below the outermost object or list is of another type. */
function otherTypes(value: Json, depth = 0): Json {
  if (Array.isArray(value)) return depth === 1 ? { length: 3 } : value.map((each: Json) => otherTypes(each, depth + 1))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Record<string, Json>)
    return depth === 1
      ? null
      : Object.fromEntries(entries.map(([key, each]) => [key, otherTypes(each, depth + 1)] as const))
  }
  return typeof value === 'string' ? 7 : typeof value === 'number' ? 'many' : []
}

/** Lists have thousands of entries, texts thousands of characters. */
function enlarged(value: Json, listMax: number): Json {
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    const sizeBytes = JSON.stringify(value).length / value.length
    const length = Math.min(listMax, Math.max(START_LIST_MAX, Math.floor(LIST_BYTES_MAX / sizeBytes)))
    return Array.from({ length }, (_, at) => value[at % value.length] ?? null)
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([key, each]) => [key, enlarged(each, listMax)]),
    )
  return typeof value === 'string' ? value.repeat(2) : value
}

const text = (body: string, contentType: string, status = 200) => ({ status, contentType, body })
const asJson = (value: Json) => text(JSON.stringify(value), 'application/json')

type Change = (right: Json, listMax: number) => ReturnType<typeof text>

const KINDS: Readonly<Record<string, Change>> = {
  'broken JSON': (right) => text(JSON.stringify(right).slice(0, -1), 'application/json'),
  'a page of another program': () => text('<!doctype html><title>Router</title><h1>Log in</h1>', 'text/html'),
  'values of other types': (right) => asJson(otherTypes(right)),
  'empty objects and lists': (right) => asJson(Array.isArray(right) ? [] : {}),
  'huge lists': (right, listMax) => asJson(enlarged(right, listMax)),
  'errors of the server': () => text('something failed\n', 'text/plain', 500),
}

const STREAM = /\/rest\/twinfold\/events\/stream\b/
const EVENT = { id: 'abcdefgh-1', time: '', type: 'FolderPaused', data: { id: 'docs', label: 'Docs' } }

/** The stream of events has no end that could be waited for: it begins with its position, and ends after one event. */
function streamed({ status, contentType, body }: ReturnType<typeof text>): ReturnType<typeof text> {
  if (contentType !== 'application/json') return text(body, contentType, status)
  return text(`id: abcdefgh-0\n\nid: abcdefgh-1\ndata: ${body}\n\n`, 'text/event-stream')
}

/** Answers the requests of the page with something else while it is switched on. */
class Answers {
  readonly #change: Change
  readonly #applies: (url: string) => boolean
  isOn = false
  count = 0

  constructor(kind: string, applies: (url: string) => boolean) {
    this.#change = KINDS[kind]!
    this.#applies = applies
  }

  async handle(route: Route): Promise<void> {
    const request = route.request()
    try {
      if (!this.isOn || request.method() !== 'GET' || !this.#applies(request.url())) return await route.continue()
      if (STREAM.test(request.url())) {
        this.count++
        return await route.fulfill(streamed(this.#change(EVENT, START_LIST_MAX)))
      }
      const right = await route.fetch()
      const body = await right.text()
      this.count++
      const listMax = START_ROUTES.test(request.url()) ? START_LIST_MAX : LIST_MAX
      await route.fulfill(this.#change(JSON.parse(body) as Json, listMax))
    } catch {
      await route.abort().catch(() => {}) // the page has given up the request, or the daemon has
    }
  }
}

const go = (page: Page, path: string) => page.evaluate(`location.hash = '#/${path}'`)

/** What a user sees: never nothing. */
async function showsText(page: Page, view: string): Promise<void> {
  await eventually(`a text at ${view}`, async () => {
    const [shown, alert] = [await page.locator('main, .login').allInnerTexts(), page.getByRole('alert')]
    return shown.join('').trim().length > 10 || (await alert.count()) > 0 || undefined
  })
}

async function showsAll(page: Page, views = VIEWS): Promise<void> {
  for (const [path, expected] of views) {
    await go(page, path)
    await page.getByRole('main').getByText(expected).first().waitFor()
  }
}

for (const kind of Object.keys(KINDS)) {
  test(`W-20: every view shows a sentence for ${kind}, and recovers`, { skip }, async () => {
    const bad = new Answers(kind, (url) => !START_ROUTES.test(url))
    await browser.visit({ url: `${member.daemon.url}/`, expected: EXPECTED }, async ({ page }) => {
      await page.route('**/rest/**', (route) => bad.handle(route))
      await showsAll(page, VIEWS.slice(0, 1))
      bad.isOn = true
      for (const [path] of VIEWS) {
        await go(page, path)
        await showsText(page, path)
      }
      await go(page, VIEWS[3]![0])
      await showsText(page, VIEWS[3]![0])
      bad.isOn = false
      await page.getByRole('main').getByText(VIEWS[3]![1]).first().waitFor() // without a click
      await showsAll(page)
    })
    assert.ok(bad.count >= 5, `${bad.count} answers were changed`)
    reportRow({ id: 'W-20', kind, tried: bad.count, views: VIEWS.length })
  })

  test(`W-20: a page that begins with ${kind} shows a sentence, and recovers`, { skip }, async () => {
    const bad = new Answers(kind, () => true)
    await browser.visit({ url: `${member.daemon.url}/`, expected: EXPECTED }, async ({ page }) => {
      await page.route('**/rest/**', (route) => bad.handle(route))
      bad.isOn = true
      await page.reload()
      const views = VIEWS.slice(0, 6)
      for (const [path] of views) {
        await go(page, path)
        await showsText(page, path)
      }
      bad.isOn = false
      await showsAll(page, views)
    })
    assert.ok(bad.count >= 2, `${bad.count} answers were changed`)
  })
}
