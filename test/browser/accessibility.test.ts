/** Every page of a device with something on it, checked by axe-core: in the light, in the dark, on a phone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { startDemo, type Demo } from '../support/demo.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest, everyView } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
let browser: Chromium
let demo: Demo

before(async () => {
  if (skip !== false) return
  demo = await startDemo(scratch.path)
  await eventually(
    'a pending request',
    async () => Object.keys(await demo.get('/rest/cluster/pending/devices')).length > 0 || undefined,
    60_000,
  )
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await demo?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Each finding once, with the views that have it. */
class Findings {
  readonly #views = new Map<string, string[]>()

  add(view: string, findings: readonly string[]): void {
    for (const finding of findings) this.#views.set(finding, [...(this.#views.get(finding) ?? []), view])
  }

  assertNone(): void {
    const lines = [...this.#views].map(([finding, views]) => `${finding}\n  at ${views.join(', ')}`)
    assert.ok(lines.length === 0, lines.join('\n'))
  }
}

test('every page is without serious findings, in the light and in the dark', { skip }, async () => {
  const found = new Findings()
  const views = await browser.visit({ url: demo.pages[0]!.url }, ({ page }) =>
    everyView(page, async (view) => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await atRest(page)
      found.add(view, await accessibilityFindings(page))
      await page.emulateMedia({ colorScheme: 'dark' })
      await atRest(page)
      // the only thing that is different
      found.add(`${view} (dark)`, await accessibilityFindings(page, ['color-contrast']))
    }),
  )
  found.assertNone()
  console.log(JSON.stringify({ accessibility: 'axe-core', views: views.length, serious: 0 }))
})

test('on a phone nothing is wider than the screen, and there are no serious findings', { skip }, async () => {
  const context = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
  const found = new Findings()
  await browser.visit({ url: demo.pages[0]!.url, context }, ({ page }) =>
    everyView(page, async (view) => {
      const excess: number = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      found.add(view, [...(await accessibilityFindings(page)), ...(excess > 0 ? [`${excess} px too wide`] : [])])
    }),
  )
  found.assertNone()
})
