/**
 * Pictures of the page for the documentation, taken in a real browser from `twinfold demo`: light, dark and on a phone.
 * `node tools/screenshots.ts [DIRECTORY]`; docs/images unless said otherwise. Build the page first (tools/gui.ts).
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../test/support/browser.ts'
import { startDemo, type Demo } from '../test/support/demo.ts'
import { eventually, scratchDirectory } from '../test/support/scratch.ts'
import { atRest } from '../test/support/views.ts'

const SIZE_BYTES_MAX = 250_000

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: 'light' },
}

/** What is shown: a name for the file, and how to get there from the start. */
const SCENES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: async () => {},
}

/** Waits until the demonstration has told its story, so that all pictures show the same. */
async function storyTold(demo: Demo): Promise<void> {
  await eventually('an old version', async () =>
    Object.keys(await demo.get('/rest/folder/versions?folder=documents-demo')).length > 0 || undefined, 60_000)
  await eventually('something to answer', async () =>
    Object.keys(await demo.get('/rest/cluster/pending/devices')).length > 0 || undefined, 60_000)
}

async function takeAll(directory: string): Promise<void> {
  using scratch = scratchDirectory()
  await using demo = await startDemo(scratch.path)
  await storyTold(demo)
  await using browser = await Chromium.start()
  for (const [look, context] of Object.entries(LOOKS)) {
    for (const [scene, go] of Object.entries(SCENES)) {
      const path = join(directory, `${scene}-${look}.png`)
      await browser.visit({ url: demo.pages[0]!.url, context: { ...context, reducedMotion: 'reduce' } }, async ({ page }) => {
        await atRest(page)
        await go(page)
        await atRest(page)
        await page.screenshot({ path, animations: 'disabled' })
      })
      const sizeBytes = statSync(path).size
      console.log(`${path}: ${Math.round(sizeBytes / 1_000)} kB`)
      if (sizeBytes > SIZE_BYTES_MAX) throw new Error(`${path} is larger than ${SIZE_BYTES_MAX} bytes`)
    }
  }
}

const missing = missingBrowser()
if (missing !== undefined) throw new Error(missing)
const directory = process.argv[2] ?? join(import.meta.dirname, '..', 'docs', 'images')
mkdirSync(directory, { recursive: true })
await takeAll(directory)
