/** Files that are only on another device: opened, played, downloaded. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { encodeModules } from '../../src/http/formats/png.ts'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startPair, type DevicePair } from '../support/device-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const SOUND_S = 120
const PAGE = [
  `<h1>A page</h1><script>alert('ran')</script>`,
  `<script src="/meta.js"></script><img src="http://192.0.2.1/x.png">`,
].join('')
let browser: Chromium
let pair: DevicePair

/** Silence in 16 bits, stereo, 48,000 times a second: 23 MB. */
function wav(durationS: number): Buffer {
  const [rate, frameBytes] = [48_000, 4]
  const dataBytes = durationS * rate * frameBytes
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + dataBytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * frameBytes, 28)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(dataBytes, 40)
  const data = Buffer.alloc(dataBytes)
  for (let at = 0; at < dataBytes; at += 4_096) data.writeUInt32LE(at % 7, at) // every block is different
  return Buffer.concat([head, data])
}

/** A film of half a second, recorded by the browser itself. */
async function recordFilm(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
    const drawing = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm;codecs=vp8' })
    const pieces = []
    recorder.ondataavailable = ({ data }) => pieces.push(data)
    const ended = new Promise((resolve) => { recorder.onstop = resolve })
    recorder.start()
    for (let turn = 0; turn < 10; turn++) {
      drawing.fillStyle = turn % 2 ? 'red' : 'blue'
      drawing.fillRect(0, 0, 64, 48)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
    return btoa(String.fromCharCode(...bytes))
  })()`)
  return Buffer.from(String(base64), 'base64')
}

before(async () => {
  if (skip !== false) return
  pair = await startPair(scratch.path)
  browser = await Chromium.start()
  const film = await browser.visit({ url: pair.b.daemon.url }, ({ page }) => recordFilm(page))
  writeFileSync(join(pair.b.root, '.stignore'), '*\n')
  await pair.b.scan()
  const modules = Array.from({ length: 8 }, (_row, y) => Array.from({ length: 8 }, (_cell, x) => (x + y) % 3 === 0))
  const files = {
    'film.webm': film,
    'notes.txt': 'text of another device',
    'page.html': PAGE,
    'picture.png': Buffer.from(encodeModules(modules)),
    'sound.wav': wav(SOUND_S),
    'unknown.xyz': 'only to be downloaded',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(pair.a.root, name), content)
  await pair.a.scan()
  await pair.b.whenConnectedTo(pair.a.id)
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await pair?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const at = (path: string) => ({ url: `${pair.b.daemon.url}/#/${path}` })
const dialog = (page: Page) => page.getByRole('dialog')

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Open ${name}` }).click()
}

async function until(page: Page, what: string, condition: string): Promise<void> {
  await eventually(what, async () => ((await page.evaluate(condition)) === true ? true : undefined))
}

async function close(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

test('text, pages and pictures of another device are shown, and run nothing', { skip }, async () => {
  await browser.visit(
    { ...at('folders/docs'), expected: [/Blocked script execution/, /Content Security Policy/, /192\.0\.2\.1/] },
    async ({ page }) => {
      await open(page, 'notes.txt')
      await page.frameLocator('iframe').getByText('text of another device').waitFor()
      assert.equal(await page.locator('iframe').getAttribute('sandbox'), '')
      await close(page)
      const failed: string[] = []
      page.on('requestfailed', (request) => failed.push(`${request.url()} ${request.failure()?.errorText}`))
      await open(page, 'page.html')
      await page.frameLocator('iframe').getByText('A page').waitFor()
      await eventually('the refused picture', () => failed.find((each) => each === 'http://192.0.2.1/x.png csp'))
      await close(page)
      await open(page, 'picture.png')
      await page.getByRole('img', { name: 'picture.png' }).waitFor()
      await until(page, 'the picture', `document.querySelector('img.view-picture').naturalWidth === 64`)
      await close(page)
      assert.ok(!existsSync(join(pair.b.root, 'notes.txt')), 'nothing is kept')
    },
  )
})

test('a film of another device plays, and a long sound is sought by ranges', { skip }, async () => {
  await browser.visit(at('folders/docs'), async ({ page }) => {
    await open(page, 'film.webm')
    await page.locator('video').waitFor()
    await page.evaluate(`Object.assign(document.querySelector('video'), { muted: true }).play()`)
    const isPlaying = `({ currentTime, videoWidth }) => currentTime > 0 && videoWidth === 64`
    await until(page, 'a frame of the film', `(${isPlaying})(document.querySelector('video'))`)
    await close(page)
    const ranges: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('sound.wav') && request.headers()['range'] !== undefined)
        ranges.push(request.headers()['range']!)
    })
    await open(page, 'sound.wav')
    await page.locator('audio').waitFor()
    await until(page, 'the length of the sound', `document.querySelector('audio').duration === ${SOUND_S}`)
    await page.evaluate(`void (document.querySelector('audio').currentTime = ${SOUND_S - 5})`)
    const isThere = `({ seeking, readyState, currentTime }) => !seeking && readyState >= 2 && currentTime > 100`
    await until(page, 'the end of the sound', `(${isThere})(document.querySelector('audio'))`)
    const starts = ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]))
    assert.ok(Math.max(...starts) > 20_000_000, `a range near the end: ${ranges.join(' ')}`) // a few requests
  })
})

test('a file of another device is downloaded from the tree and from its details', { skip }, async () => {
  await browser.visit({ ...at('folders/docs'), context: { acceptDownloads: true } }, async ({ page }) => {
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download unknown.xyz' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'unknown.xyz')
    assert.equal(readFileSync(await saved.path(), 'utf8'), 'only to be downloaded')
    assert.equal(await page.getByRole('button', { name: 'Open unknown.xyz' }).count(), 0)
    await page.getByRole('button', { name: 'Details of notes.txt' }).click()
    await dialog(page).getByRole('link', { name: 'Download' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Open', exact: true }).click()
    await page.frameLocator('iframe').getByText('text of another device').waitFor()
  })
})
