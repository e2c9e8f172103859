/** W-11: whatever others call their files, folders and devices, on the page it is text. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { sha256 } from '../support/wire-frames.ts'
import { newIdentity, ScriptedPeer } from '../support/scripted-peer.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest, everyView } from '../support/views.ts'

interface RawName {
  readonly why: string
  readonly text?: string
  readonly times?: number
  readonly levels?: number
}

const RAW = JSON.parse(readFileSync(new URL('../fixtures/names.json', import.meta.url), 'utf8')) as readonly RawName[]
/** Written for browsers: these are also names of folders and devices. */
const TEXTS = RAW.filter(({ why }) => why.startsWith('for browsers')).map(({ text = '' }) => text)
/** All that are single names, or paths below the folder; reserved names would collide with files kept there. */
const NAMES = RAW.filter(({ why }) => why !== 'our own')
  .flatMap(({ text, times = 1, levels = 1 }) => (text === undefined || times * levels > 1 ? [] : [text]))
  .filter((name) => name.split('/').every((part) => part !== '' && part !== '.' && part !== '..'))
const STRANGERS = 6
const HOSTILE_ELEMENTS =
  'main script, body > script:not([src]), img[src="x"], svg[onload], iframe, object, embed, [onmouseover], ' +
  '[onerror], a[href^="javascript:" i], a[href^="data:" i], base'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const peers: ScriptedPeer[] = []
let browser: Chromium
let member: Member

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'member')
  await fill()
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  for (const peer of peers) await peer[Symbol.asyncDispose]().catch(() => {}) // the daemon may have hung up on it
  await member?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

function writeNames(root: string, names: readonly string[]): number {
  let written = 0
  for (const name of names) {
    try {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), 'x')
      written++
    } catch {
      // This disk does not allow the name, or another one collides; those it accepts are enough.
    }
  }
  return written
}

/** Everything that others can put a text into, as far as it is shown anywhere. */
async function fill(): Promise<void> {
  const { daemon, root, port } = member
  const idOf = (index: number) => deviceIdFromBytes(sha256(`device ${index}`))
  const known = await newIdentity()
  mkdirSync(root)
  assert.ok(writeNames(root, NAMES) > 200)
  assert.equal(
    writeNames(
      join(root, '.stversions'),
      TEXTS.map((text) => `${text}~20250102-030405`),
    ),
    TEXTS.length,
  )
  for (const [index, name] of TEXTS.entries())
    await daemon.post('/rest/config/devices', { deviceID: idOf(index), name })
  await daemon.post('/rest/config/devices', { deviceID: known.id, name: TEXTS[0], numConnections: 1 })
  await daemon.addFolder('docs', root, {
    label: TEXTS[1],
    devices: [{ deviceID: known.id }, ...TEXTS.map((_, index) => ({ deviceID: idOf(index) }))],
    versioning: { type: 'simple', params: { keep: '5' } },
  })
  for (const [index, label] of TEXTS.entries()) {
    mkdirSync(join(scratch.path, `folder-${index}`))
    await daemon.addFolder(`folder-${index}`, join(scratch.path, `folder-${index}`), { label })
  }
  await daemon.post('/rest/db/ignores?folder=folder-0', { ignore: TEXTS.map((text) => `/nothing/${text}`) })
  for (const text of TEXTS.slice(0, 5)) await daemon.post('/rest/system/error', text)
  await daemon.post('/rest/db/scan?folder=docs')
  await offer(known, port)
  for (const text of TEXTS.slice(0, STRANGERS)) await request(port, text)
  await eventually(
    'all unknown devices are pending',
    async () =>
      Object.keys((await daemon.get('/rest/cluster/pending/devices')) as object).length === STRANGERS || undefined,
  )
}

async function offer(who: Awaited<ReturnType<typeof newIdentity>>, port: number): Promise<void> {
  const called = { deviceName: TEXTS[0]!, clientName: TEXTS[1]!, clientVersion: TEXTS[2]! }
  const peer = await eventually('the daemon to listen', () => ScriptedPeer.dial({ ...who, port, called }))
  peers.push(peer)
  await peer.introduce(['docs', ...TEXTS.slice(0, STRANGERS)])
}

async function request(port: number, deviceName: string): Promise<void> {
  const peer = await ScriptedPeer.dial({ ...(await newIdentity()), port, called: { deviceName } })
  peers.push(peer)
}

test('W-11: names of files, folders and devices stay text on every page', { skip }, async () => {
  const shown = new Set<string>()
  const visit = { url: `${member.daemon.url}/` }
  const views = await browser.visit(visit, ({ page, problems }) =>
    everyView(
      page,
      async (view) => {
        assert.deepEqual(problems, [], view)
        const hostile: readonly string[] = await page.evaluate(
          `[...document.querySelectorAll(${JSON.stringify(HOSTILE_ELEMENTS)})].map((element) => ` +
            `element.outerHTML.slice(0, 200))`,
        )
        assert.deepEqual(hostile, [], view)
        const text = await page.locator('body').innerText()
        for (const name of TEXTS) if (text.includes(name)) shown.add(name)
      },
      { follow: (path) => !/folder-[1-9]\d*\/./.test(path) },
    ),
  )
  assert.deepEqual(
    TEXTS.filter((text) => !shown.has(text)),
    [],
    'every text was shown somewhere',
  )

  await member.daemon.request('PATCH', '/rest/config/gui', { user: 'me', password: 'secret' })
  await browser.visit({ ...visit, expected: [/status of 40[13]/] }, async ({ page }) => atRest(page))
  reportRow({
    id: 'W-11',
    tried: (views.length + 1) * NAMES.length,
    strings: NAMES.length,
    views: views.length + 1,
  })
})
