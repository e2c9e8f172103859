/**
 * Pictures of the page for the documentation, taken in a real browser from `twinfold demo`: light, dark and on a phone.
 * `node tools/screenshots.ts [DIRECTORY]`; docs/images by default. Build the page first (tools/gui.ts).
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../test/support/browser.ts'
import { startDemo, type Demo } from '../test/support/demo.ts'
import { eventually } from '../test/support/scratch.ts'
import { atRest } from '../test/support/views.ts'

const SIZE_BYTES_MAX = 250_000

const VARIANTS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' },
  phone: {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    colorScheme: 'light',
  },
}

/** One picture: its file name, its variants, and the navigation from the start page. */
interface Scene {
  readonly name: string
  readonly variants: readonly string[]
  go(page: Page, demo: Demo): Promise<void>
}

const EVERY_VARIANT = Object.keys(VARIANTS)
const FILM_BYTES = 14 * 1024 * 1024
/** Until the plot has data. */
const WATCH_MS = 8_000
/** The transfer for the previous picture must be complete first. */
const IDLE_MS_MAX = 60_000

const PICTURES: readonly Scene[] = [
  { name: 'overview', variants: EVERY_VARIANT, go: watchDownload },
  { name: 'files', variants: EVERY_VARIANT, go: (page) => open(page, 'folders/photos-demo') },
  { name: 'versions', variants: ['light'], go: (page) => open(page, 'folders/documents-demo/versions') },
  {
    name: 'device',
    variants: ['light'],
    go: (page) => page.getByRole('main').getByRole('link', { name: 'Desk' }).first().click(),
  },
  {
    name: 'add-folder',
    variants: ['light'],
    go: (page) => page.getByRole('button', { name: 'Add folder' }).first().click(),
  },
  { name: 'changes', variants: ['dark'], go: (page) => open(page, 'changes') },
  { name: 'log', variants: ['dark'], go: (page) => open(page, 'log') },
  { name: 'settings', variants: ['light'], go: (page) => open(page, 'settings') },
]

async function open(page: Page, place: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/${place}`)
}

/** A large file of the other device is pulled while the picture is taken. */
async function watchDownload(page: Page, { directory }: Demo): Promise<void> {
  writeFileSync(join(directory, 'Desk', 'Photos', 'Film.raw'), randomBytes(FILM_BYTES))
  await page.getByRole('banner').getByRole('link', { name: 'Downloading' }).waitFor()
  await page.waitForTimeout(WATCH_MS)
}

/** Waits until the demonstration is complete, so that all pictures show the same state. */
async function demoComplete(demo: Demo): Promise<void> {
  await eventually(
    'an old version',
    async () => Object.keys(await demo.get('/rest/folder/versions?folder=documents-demo')).length > 0 || undefined,
    60_000,
  )
  await eventually(
    'a pending request',
    async () => Object.keys(await demo.get('/rest/cluster/pending/devices')).length > 0 || undefined,
    60_000,
  )
}

async function takeAll(directory: string): Promise<void> {
  await using demo = await startDemo(tmpdir())
  await demoComplete(demo)
  await using browser = await Chromium.start()
  for (const { name, variants, go } of PICTURES) {
    for (const variant of variants) {
      const path = join(directory, `${name}-${variant}.png`)
      const context = { ...VARIANTS[variant], reducedMotion: 'reduce' } as const
      await browser.visit({ url: demo.pages[0]!.url, context }, async ({ page }) => {
        await atRest(page)
        await page
          .getByRole('banner')
          .getByRole('link', { name: 'Everything is up to date' })
          .waitFor({ timeout: IDLE_MS_MAX })
        await go(page, demo)
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
